import {
  parseResourceList,
  type ResourceList,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { podRequests } from '@perigee/scheduling/interpreter/pod-requirements';
import type { JsonObject } from '@perigee/schema/json';
import { quantityMilliValue, quantityValue } from '@perigee/schema/values/quantity';

/** Integers by resource: millicores of cpu, units of the rest. */
export type Amounts = ReadonlyMap<string, number>;

const amountsOf = (list: ResourceList): Map<string, number> =>
  new Map(
    [...list].map(([name, quantity]) => [
      name,
      name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity),
    ]),
  );

export const parseAmounts = (list: WrittenResourceList | undefined): Amounts =>
  amountsOf(parseResourceList(list));

/** The requests of a pod, and its weight in the comparison of loads. */
export interface PodDemand {
  /** Includes one of `pods`; zero amounts are left out. */
  readonly amounts: Amounts;
  readonly cpuLoad: number;
  readonly memoryLoad: number;
  /** Resources other than cpu, memory and pods, sorted. */
  readonly extended: readonly string[];
}

/** Pods without requests get a minimum load, or all of them would go to one node. */
const LEAST_CPU_LOAD = 100;
const LEAST_MEMORY_LOAD = 200 * 2 ** 20;

const COMMON: ReadonlySet<string> = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);

export const demandOf = ({ spec }: Pod): PodDemand => {
  const amounts = amountsOf(podRequests(spec as unknown as JsonObject));
  for (const [name, amount] of amounts) if (amount <= 0) amounts.delete(name);
  amounts.set('pods', 1);
  return {
    amounts,
    cpuLoad: amounts.get('cpu') ?? LEAST_CPU_LOAD,
    memoryLoad: amounts.get('memory') ?? LEAST_MEMORY_LOAD,
    extended: [...amounts.keys()].filter((name) => !COMMON.has(name)).toSorted(),
  };
};
