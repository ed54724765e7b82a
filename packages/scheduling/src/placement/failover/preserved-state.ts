import { ParseError } from '@perigee/api/errors';
import type { JsonObject, JsonValue } from '@perigee/api/json';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { FailoverBehavior } from '@perigee/api/kinds/placement/failover';
import { goJson, goNumber } from '@perigee/api/schema/go-text';
import { findValues } from '@perigee/api/values/json-path/find-values';
import { parseJsonPath } from '@perigee/api/values/json-path/parse-json-path';
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

/** A template of text and of paths in braces. What has no braces is a path by itself. */
const evaluate = (template: string, status: JsonObject): string => {
  if (!template.includes('{')) return valueAt(template, status);
  return template.replace(/\{([^{}]*)\}/g, (_, path: string) => valueAt(path.trim(), status));
};

/**
 * What work takes with it when it leaves a cluster, as labels; nothing when it takes nothing. Work
 * whose state cannot be read must not leave, as the state would be lost.
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
  const known = item.status as JsonObject;
  try {
    return Object.fromEntries(
      rules.map(({ aliasLabelName, jsonPath }) => [aliasLabelName, evaluate(jsonPath, known)]),
    );
  } catch (error) {
    if (error instanceof ParseError) throw new EvictionError(error.message, { cause: error });
    throw error;
  }
};
