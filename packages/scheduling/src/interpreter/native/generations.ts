import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { numberIn, objectIn, pick, textIn } from '../fields.ts';

const TEMPLATE_GENERATION = 'resourcetemplate.karmada.io/generation';

/** The statuses of clusters that have reported one. */
export const statusesOf = (items: readonly AggregatedStatusItem[]): readonly JsonObject[] =>
  items.flatMap(({ status }) => (status === undefined ? [] : [status as JsonObject]));

/**
 * Copies some status fields, with the generations that show which template version they describe.
 * Undefined until a controller has observed the object.
 */
export const reflectGenerations =
  (fields: readonly string[]) =>
  (object: JsonObject): JsonObject | undefined => {
    if (object.status === undefined) return undefined;
    const status = pick(objectIn(object, 'status'), fields);
    const generation = numberIn(object, 'metadata', 'generation');
    const templateGeneration = textIn(
      objectIn(object, 'metadata', 'annotations'),
      TEMPLATE_GENERATION,
    );
    const reflection = {
      ...present({
        generation,
        resourceTemplateGeneration:
          templateGeneration === '' ? undefined : Number(templateGeneration),
      }),
      ...status,
    };
    return Object.keys(reflection).length === 0 ? undefined : reflection;
  };

/** True if a status describes the newest version of the template. */
const isCurrent = (status: JsonObject, generation: number): boolean =>
  (numberIn(status, 'observedGeneration') ?? 0) >= (numberIn(status, 'generation') ?? 0) &&
  (numberIn(status, 'resourceTemplateGeneration') ?? 0) >= generation;

/** Counts that need a live cluster; an unreachable cluster contributes none. */
const ALIVE: ReadonlySet<string> = new Set([
  'readyReplicas',
  'availableReplicas',
  'numberReady',
  'numberAvailable',
]);

/** Counts of unavailable replicas; an unreachable cluster contributes all of its replicas. */
const NOT_AVAILABLE: { readonly [field: string]: string } = {
  unavailableReplicas: 'replicas',
  numberUnavailable: 'desiredNumberScheduled',
};

/** A cluster's contribution to a sum. */
const share = ({ status, health }: AggregatedStatusItem, field: string): number => {
  const count = (name: string) => numberIn((status ?? {}) as JsonObject, name) ?? 0;
  if (health !== 'Unknown') return count(field);
  return ALIVE.has(field) ? 0 : count(NOT_AVAILABLE[field] ?? field);
};

/**
 * Sums the statuses of all clusters. `observedGeneration` advances only when every cluster has
 * observed the template, so that tools such as `kubectl rollout` wait for all.
 */
export const aggregateSums =
  (fields: readonly string[]) =>
  (template: JsonObject, items: readonly AggregatedStatusItem[]): JsonObject => {
    const reports = statusesOf(items);
    const generation = numberIn(template, 'metadata', 'generation') ?? 0;
    const before = objectIn(template, 'status');
    const current = reports.filter((status) => isCurrent(status, generation)).length;
    const observedGeneration =
      current === items.length ? generation : (numberIn(before, 'observedGeneration') ?? 0);
    const sums = Object.fromEntries(
      fields.map((field) => [field, items.reduce((sum, item) => sum + share(item, field), 0)]),
    );
    return { ...template, status: { ...before, ...sums, observedGeneration: observedGeneration } };
  };
