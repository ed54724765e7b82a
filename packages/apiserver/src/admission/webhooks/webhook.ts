import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import {
  compileMatchConditions,
  type MatchCondition,
  type MatchConditions,
} from '../match-conditions.ts';
import type { MatchCriteria } from '../match-request.ts';
import type { OperationRule } from '../match-rules.ts';

/** The webhook of a configuration, as it is stored. */
interface StoredWebhook {
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly rules?: readonly OperationRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** A compiled admission webhook. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly criteria: MatchCriteria;
  readonly conditions: MatchConditions;
  readonly ignoresFailures: boolean;
  readonly hasSideEffects: boolean;
  readonly timeoutMs: number;
  readonly reviewVersions: readonly string[];
  /** True if it wants to see what others change after it. */
  readonly isReinvoked: boolean;
}

const NO_SIDE_EFFECTS: readonly (string | undefined)[] = ['None', 'NoneOnDryRun'];

const compileWebhook = (stored: StoredWebhook): Webhook => {
  const {
    name,
    clientConfig,
    rules = [],
    matchPolicy,
    failurePolicy,
    timeoutSeconds = 10,
  } = stored;
  const { namespaceSelector, objectSelector, matchConditions = [] } = stored;
  return {
    name,
    clientConfig,
    criteria: {
      rules,
      ...present({ matchPolicy, namespaceSelector, objectSelector }),
    },
    conditions: compileMatchConditions(matchConditions, { authorizer: true }, failurePolicy),
    ignoresFailures: failurePolicy === 'Ignore',
    hasSideEffects: !NO_SIDE_EFFECTS.includes(stored.sideEffects),
    timeoutMs: timeoutSeconds * 1000,
    reviewVersions: stored.admissionReviewVersions ?? [],
    isReinvoked: stored.reinvocationPolicy === 'IfNeeded',
  };
};

/** The webhooks of a configuration, in the order in which they are called. */
export const webhooksOf = (configuration: JsonObject): readonly Webhook[] =>
  ((configuration.webhooks ?? []) as unknown as readonly StoredWebhook[]).map(compileWebhook);
