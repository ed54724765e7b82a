import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { FailoverBehavior } from '@perigee/api/kinds/placement/failover';
import { findValues } from '@perigee/api/values/json-path/find-values';
import { parseJsonPath } from '@perigee/api/values/json-path/parse-json-path';
import { ParseError } from '@perigee/schema/errors';
import { goJson, goNumber } from '@perigee/schema/go-text';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { checkLabelValue } from '@perigee/schema/values/names';
import { EvictionError } from '../../errors.ts';

type StatePreservation = NonNullable<FailoverBehavior['cluster']>['statePreservation'];

const asText = (value: JsonValue): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? goNumber(value) : goJson(value);
};

const valueAt = (path: string, status: JsonObject): string => {
  const values = findValues(parseJsonPath(path), status);
  if (values.length === 0) {
    throw new EvictionError(`the status has nothing at ${path}; correct the path in the policy`);
  }
  return values.map(asText).join(' ');
};

/**
 * Evaluates a template of text and JSONPaths in braces; without braces, the whole text is a path.
 */
const evaluate = (template: string, status: JsonObject): string => {
  if (!template.includes('{')) return valueAt(template, status);
  return template.replace(/\{([^{}]*)\}/g, (_, path: string) => valueAt(path.trim(), status));
};

/** The new copy gets the state as labels; with one that is no label, the member would refuse it. */
const asLabel = (path: string, text: string): string => {
  const [problem] = checkLabelValue(text);
  if (problem === undefined) return text;
  throw new EvictionError(
    `what the status has at ${path} cannot be taken along as a label: ${problem}`,
  );
};

/**
 * The state that evicted work takes along as labels; undefined if it takes none. Throws if the
 * state cannot be read: evicting the work would lose it.
 */
export const preservedState = (
  preservation: StatePreservation,
  status: BindingStatus | undefined,
  cluster: string,
): { readonly [label: string]: string } | undefined => {
  const rules = preservation?.rules ?? [];
  if (rules.length === 0) return undefined;
  const item = status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster);
  if (item?.status === undefined) {
    throw new EvictionError(
      `the state of the work in cluster ${cluster} is not known yet, so that it cannot be taken along`,
    );
  }
  const memberStatus = item.status as JsonObject;
  try {
    return Object.fromEntries(
      rules.map(({ aliasLabelName, jsonPath }) => [
        aliasLabelName,
        asLabel(jsonPath, evaluate(jsonPath, memberStatus)),
      ]),
    );
  } catch (error) {
    if (error instanceof ParseError) throw new EvictionError(error.message, { cause: error });
    throw error;
  }
};
