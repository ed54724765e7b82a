import type { ResourceSummary } from '@perigee/api/kinds/clusters/member-cluster-status';
import type { ResourceModel } from '@perigee/api/kinds/clusters/resource-models';
import {
  parseResourceList,
  subtractResourceList,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { quantityValue, ZERO } from '@perigee/schema/values/quantity';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import { type Amount, amountOf } from '../../../clusters/room/amount.ts';
import type { NodeGroup } from './node-group.ts';

/** Grades do not count pods; this is the limit that Kubernetes recommends for a node. */
const PODS_PER_NODE = 110;

/** The free capacity of a cluster. */
export interface Capacity {
  readonly pods: number;
  readonly free: ReadonlyMap<string, Amount>;
  /**
   * Nodes by grade, each with at least this much free, from the smallest to the largest; empty if the cluster does
   * not report grades.
   */
  readonly grades: readonly NodeGroup[];
  /** The capacity of the empty cluster. */
  readonly whole: { readonly pods: number; readonly free: ReadonlyMap<string, Amount> };
}

const listOf = (list: unknown) => parseResourceList(list as WrittenResourceList | undefined);

const freeResources = (
  summary: Omit<ResourceSummary, 'allocatableModelings'>,
): ReadonlyMap<string, Amount> => {
  const allocatable = listOf(summary.allocatable);
  const remainder = subtractResourceList(allocatable, listOf(summary.allocated));
  const free = subtractResourceList(remainder, listOf(summary.allocating));
  return new Map(
    [...allocatable.keys()].map((name) => [name, amountOf(name, free.get(name) ?? ZERO)]),
  );
};

const podsIn = (list: unknown): number => quantityValue(listOf(list).get('pods') ?? ZERO);

const gradesOf = (
  summary: ResourceSummary,
  models: readonly ResourceModel[],
): readonly NodeGroup[] => {
  const counts = new Map<number, number>();
  for (const { grade, count } of summary.allocatableModelings ?? []) {
    counts.set(Number(grade), (counts.get(Number(grade)) ?? 0) + Number(count));
  }
  if (counts.size === 0) return [];
  return models
    .map(({ grade, ranges }) => ({ grade: Number(grade), ranges }))
    .sort((a, b) => a.grade - b.grade)
    .map(({ grade, ranges }) => ({
      count: counts.get(grade) ?? 0,
      pods: PODS_PER_NODE,
      free: new Map(
        ranges.map(({ name, min }) => [name, amountOf(name, parseQuantity(min)).parts]),
      ),
    }));
};

export const capacityOf = (
  summary: ResourceSummary,
  models: readonly ResourceModel[] = [],
): Capacity => {
  const { allocatable, allocated, allocating } = summary;
  return {
    pods: podsIn(allocatable) - podsIn(allocated) - podsIn(allocating),
    free: freeResources(summary),
    grades: gradesOf(summary, models),
    whole: { pods: podsIn(allocatable), free: freeResources({ allocatable }) },
  };
};
