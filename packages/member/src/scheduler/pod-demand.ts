import {
  parseResourceList,
  type ResourceList,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { podRequests } from '@perigee/scheduling/interpreter/pod-requirements';
import type { JsonObject } from '@perigee/schema/json';
import { quantityMilliValue, quantityValue } from '@perigee/schema/values/quantity';

/** Whole numbers by resource: thousandths of cpu, and units of the rest. */
export type Amounts = ReadonlyMap<string, number>;

const amountsOf = (list: ResourceList): Map<string, number> =>
  new Map(
    [...list].map(([name, quantity]) => [
      name,
      name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity),
    ]),
  );

export const parseAmounts = (written: WrittenResourceList | undefined): Amounts =>
  amountsOf(parseResourceList(written));

/** What a pod takes of a node, and what it counts for when load is compared. */
export interface PodDemand {
  /** With one of `pods`; without what comes to nothing. */
  readonly amounts: Amounts;
  readonly cpuLoad: number;
  readonly memoryLoad: number;
  /** Resources beyond cpu, memory and pods, sorted. */
  readonly extended: readonly string[];
}

/** A pod that asks for nothing still counts for something, or all of them would go to one node. */
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
