import {
  formatResourceList,
  parseResourceList,
  type ResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';
import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { multiplyQuantity } from '@perigee/schema/values/quantity';
import { objectIn } from '../interpreter/fields.ts';
import type { KindInterpreter } from '../interpreter/interpreter.ts';
import { podRequests } from '../interpreter/pod-requirements.ts';

/** Equal pods of a workload. */
export interface WorkloadPart {
  readonly count: number;
  readonly requests: ResourceList;
}

const readParts = (
  { demand, components }: KindInterpreter,
  workload: JsonObject,
): readonly WorkloadPart[] => {
  if (components !== undefined) {
    return components(workload).map(({ replicas, replicaRequirements }) => ({
      count: Number.isInteger(replicas) ? Math.max(0, replicas) : 0,
      requests: parseResourceList(replicaRequirements?.resourceRequest),
    }));
  }
  if (demand === undefined || !isJsonObject(objectIn(workload, 'spec').template)) return [];
  const { replicas: count, requirements } = demand(workload);
  return [{ count, requests: parseResourceList(requirements?.resourceRequest) }];
};

/** The parts of a workload by its interpreter; empty if it has none or they are invalid. */
export const partsOfWorkload = (
  kind: KindInterpreter,
  workload: JsonObject,
): readonly WorkloadPart[] => {
  try {
    return readParts(kind, workload);
  } catch (error) {
    // Frameworks' schemas accept invalid quantities; then the pods themselves are read.
    if (error instanceof ParseError) return [];
    throw error;
  }
};

/** One part per existing pod, for workloads that do not describe their pods. */
export const partsOfPods = (pods: readonly { readonly spec: object }[]): readonly WorkloadPart[] =>
  pods.map(({ spec }) => ({ count: 1, requests: podRequests(spec as JsonObject) }));

const times = (list: ResourceList, count: number): ResourceList =>
  new Map([...list].map(([name, amount]) => [name, multiplyQuantity(amount, count)]));

/**
 * The total requests of this many pods, filling the parts in order: a driver before its executors.
 * Pods beyond the known parts count like the last part.
 */
export const resourcesOf = (
  parts: readonly WorkloadPart[],
  pods: number,
): { readonly [resource: string]: string } => {
  const lists: ResourceList[] = [];
  let remainingPods = pods;
  for (const [index, { count, requests }] of parts.entries()) {
    const podCount = index === parts.length - 1 ? remainingPods : Math.min(remainingPods, count);
    remainingPods -= podCount;
    if (podCount > 0) lists.push(times(requests, podCount));
  }
  return formatResourceList(sumResourceLists(lists));
};
