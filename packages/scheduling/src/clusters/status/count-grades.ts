import type { ResourceModel } from '@perigee/api/kinds/clusters/resource-models';
import { compareQuantities, type Quantity, signOfQuantity } from '@perigee/schema/values/quantity';
import { parseQuantity } from '@perigee/schema/values/quantity-text';

/** The free amount of a resource on a node. */
export type Free = (resource: string) => Quantity;

export interface GradeCount {
  readonly grade: number;
  readonly count: number;
}

/** The last index whose minimum is at most `amount`; -1 if none is. */
const lastUpTo = (mins: readonly Quantity[], amount: Quantity): number => {
  let [low, high] = [0, mins.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const min = mins[middle];
    if (min !== undefined && compareQuantities(min, amount) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/**
 * Counts nodes by grade. A node has the highest grade whose minimum it reaches in every resource. A
 * node at its pod limit has none.
 */
export const countGrades = (
  models: readonly ResourceModel[],
  nodes: Iterable<Free>,
): readonly GradeCount[] => {
  const names = (models[0]?.ranges ?? []).map(({ name }) => name);
  const ladders = names.map((name, at) => ({
    name,
    mins: models.map(({ ranges }) => parseQuantity(ranges[at]?.min ?? '0')),
  }));
  const counts = models.map(() => 0);
  for (const free of nodes) {
    if (signOfQuantity(free('pods')) <= 0) continue;
    const place = Math.min(...ladders.map(({ name, mins }) => lastUpTo(mins, free(name))));
    const count = counts[place];
    if (count !== undefined) counts[place] = count + 1;
  }
  return models.map(({ grade }, at) => ({ grade: Number(grade), count: counts[at] ?? 0 }));
};
