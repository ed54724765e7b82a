import {
  type PodGroupLevelRule,
  parsePodGroupLevelRules,
} from '@perigee/api/kinds/groups/pod-group-level-rules';
import { InvalidObjectError, notSupported } from '@perigee/schema/errors';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';

/** The group owner without a matching rule: the direct owner of the pod, or the root. */
export type OwnerWithoutRule = 'direct' | 'root';

/** The rules that choose the owner of a group. */
export interface GroupLevels {
  readonly rules: readonly PodGroupLevelRule[];
  readonly withoutRule: OwnerWithoutRule;
}

const WITHOUT_RULE = 'podgroup-level-without-rule';
const CHOICES: readonly OwnerWithoutRule[] = ['direct', 'root'];

/** For clusters without a configuration. */
export const DEFAULT_LEVELS: GroupLevels = {
  rules: [
    { apiVersion: 'apps/v1', kind: 'deployment', adjustLevel: 0 },
    { apiVersion: 'batch/v1', kind: 'job', adjustLevel: 0 },
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'workflow', adjustLevel: -1 },
  ],
  withoutRule: 'direct',
};

/**
 * Parses `volcano-controller.conf`; absent fields take their defaults. Throws `InvalidObjectError`
 * with every invalid field.
 */
export const parseGroupLevels = (conf: JsonValue | undefined): GroupLevels => {
  const rules = parsePodGroupLevelRules(conf) ?? DEFAULT_LEVELS.rules;
  const word = isJsonObject(conf) ? (conf[WITHOUT_RULE] ?? DEFAULT_LEVELS.withoutRule) : undefined;
  if (word === undefined) return { ...DEFAULT_LEVELS, rules };
  const withoutRule = CHOICES.find((choice) => choice === word);
  if (withoutRule !== undefined) return { rules, withoutRule };
  throw new InvalidObjectError([notSupported(WITHOUT_RULE, word, CHOICES)]);
};
