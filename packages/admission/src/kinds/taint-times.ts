import type { Kind } from '@perigee/api/kind/define-kind';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';

const GROUP = 'cluster.karmada.io';

/** Sets `timeAdded` on the taints of a cluster that evict work: tolerations count from there. */
export const withTaintTimes = (
  { group, kind }: Kind,
  object: JsonObject,
  now: () => number,
): JsonObject => {
  const { spec } = object;
  if (group !== GROUP || kind !== 'Cluster' || !isJsonObject(spec)) return object;
  const { taints } = spec;
  if (!Array.isArray(taints)) return object;
  const lacks = (taint: unknown): taint is JsonObject =>
    isJsonObject(taint as JsonObject) &&
    (taint as JsonObject).effect === 'NoExecute' &&
    !(taint as JsonObject).timeAdded;
  if (!taints.some(lacks)) return object;
  const timeAdded = formatTime(now());
  const timed = taints.map((taint) => (lacks(taint) ? { ...taint, timeAdded } : taint));
  return { ...object, spec: { ...spec, taints: timed } };
};
