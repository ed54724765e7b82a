import { ParseError } from '@perigee/api/errors';
import { isJsonObject, type JsonObject } from '@perigee/api/json';
import { multiplyQuantity } from '@perigee/api/values/quantity';
import {
  formatResourceList,
  parseResourceList,
  type ResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';
import { objectIn } from '../interpreter/fields.ts';
import type { KindInterpreter } from '../interpreter/interpreter.ts';
import { podRequests } from '../interpreter/pod-requirements.ts';

/** Some pods of a workload that are alike. */
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

/** What a workload says about its pods; nothing when it does not say it, or in a way that nobody understands. */
export const partsOfWorkload = (
  kind: KindInterpreter,
  workload: JsonObject,
): readonly WorkloadPart[] => {
  try {
    return readParts(kind, workload);
  } catch (error) {
    // The schemas of frameworks let through quantities that are none; then the pods tell.
    if (error instanceof ParseError) return [];
    throw error;
  }
};

/** The pods that are there, each by itself, for workloads that do not tell. */
export const partsOfPods = (pods: readonly { readonly spec: object }[]): readonly WorkloadPart[] =>
  pods.map(({ spec }) => ({ count: 1, requests: podRequests(spec as JsonObject) }));

const times = (list: ResourceList, count: number): ResourceList =>
  new Map([...list].map(([name, amount]) => [name, multiplyQuantity(amount, count)]));

/**
 * What so many pods of a workload need: its parts in their order, a driver before its executors. Pods beyond
 * those that are known of are like the last.
 */
export const resourcesOf = (
  parts: readonly WorkloadPart[],
  pods: number,
): { readonly [resource: string]: string } => {
  const lists: ResourceList[] = [];
  let left = pods;
  for (const [index, { count, requests }] of parts.entries()) {
    const taken = index === parts.length - 1 ? left : Math.min(left, count);
    left -= taken;
    if (taken > 0) lists.push(times(requests, taken));
  }
  return formatResourceList(sumResourceLists(lists));
};
