import type { JsonObject } from '@perigee/api/json';
import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import { numberIn, objectIn, pick, textIn } from '../fields.ts';

const TEMPLATE_GENERATION = 'resourcetemplate.karmada.io/generation';

/** The reported statuses, of those clusters that have reported. */
export const statusesOf = (items: readonly AggregatedStatusItem[]): readonly JsonObject[] =>
  items.flatMap(({ status }) => (status === undefined ? [] : [status as JsonObject]));

/**
 * Some fields of a status, with the generations that tell which version of the template they are about.
 * Nothing when the cluster has not looked at the object yet.
 */
export const reflectGenerations =
  (fields: readonly string[]) =>
  (object: JsonObject): JsonObject | undefined => {
    if (object.status === undefined) return undefined;
    const status = pick(objectIn(object, 'status'), fields);
    const generation = numberIn(object, 'metadata', 'generation');
    const written = textIn(objectIn(object, 'metadata', 'annotations'), TEMPLATE_GENERATION);
    const reflected = {
      ...(generation === undefined ? {} : { generation }),
      ...(written === '' ? {} : { resourceTemplateGeneration: Number(written) }),
      ...status,
    };
    return Object.keys(reflected).length === 0 ? undefined : reflected;
  };

/** Whether a status is about the newest version of the template. */
const isCurrent = (status: JsonObject, generation: number): boolean =>
  (numberIn(status, 'observedGeneration') ?? 0) >= (numberIn(status, 'generation') ?? 0) &&
  (numberIn(status, 'resourceTemplateGeneration') ?? 0) >= generation;

/** What has to be heard of again and again to be true; replicas of a lost cluster have none of it. */
const ALIVE: ReadonlySet<string> = new Set([
  'readyReplicas',
  'availableReplicas',
  'numberReady',
  'numberAvailable',
]);

/** Counts what is not available, and how many there are of which nobody hears. */
const NOT_AVAILABLE: { readonly [field: string]: string } = {
  unavailableReplicas: 'replicas',
  numberUnavailable: 'desiredNumberScheduled',
};

/** What a cluster adds to a sum. */
const share = ({ status, health }: AggregatedStatusItem, field: string): number => {
  const count = (name: string) => numberIn((status ?? {}) as JsonObject, name) ?? 0;
  if (health !== 'Unknown') return count(field);
  return ALIVE.has(field) ? 0 : count(NOT_AVAILABLE[field] ?? field);
};

/**
 * The template with the sums of what clusters report. Its generation counts as observed only when every
 * cluster has observed it, so that tools which wait for a rollout wait for all of them.
 */
export const aggregateSums =
  (fields: readonly string[]) =>
  (template: JsonObject, items: readonly AggregatedStatusItem[]): JsonObject => {
    const reported = statusesOf(items);
    const generation = numberIn(template, 'metadata', 'generation') ?? 0;
    const before = objectIn(template, 'status');
    const current = reported.filter((status) => isCurrent(status, generation)).length;
    const observed =
      current === items.length ? generation : (numberIn(before, 'observedGeneration') ?? 0);
    const sums = Object.fromEntries(
      fields.map((field) => [field, items.reduce((sum, item) => sum + share(item, field), 0)]),
    );
    return { ...template, status: { ...before, ...sums, observedGeneration: observed } };
  };
