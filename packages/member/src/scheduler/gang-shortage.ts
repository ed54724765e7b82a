import type { Pod } from '@perigee/kubernetes/core/pod';
import type { NodeTable } from './node-table.ts';
import { demandOf } from './pod-demand.ts';

/** The shortage that keeps a gang from starting. */
export interface GangShortage {
  /** Resources that are short, in total or on every single node. */
  readonly resources: ReadonlySet<string>;
  readonly message: string;
}

const MEBI = 2 ** 20;

const formatAmount = (resource: string, amount: number): string => {
  if (resource === 'cpu') return amount % 1000 === 0 ? `${amount / 1000}` : `${amount}m`;
  return amount >= MEBI && amount % MEBI === 0 ? `${amount / MEBI}Mi` : `${amount}`;
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * Resources that members without a node lack, while the others keep theirs. `why` is the refusal of the first of them,
 * for the case that the total is enough but no single node fits.
 */
export const gangShortage = (
  table: NodeTable,
  unplaced: readonly Pod[],
  why: string,
): GangShortage => {
  const neededResources = new Map<string, number>();
  for (const pod of unplaced) {
    for (const [resource, amount] of demandOf(pod).amounts) {
      neededResources.set(resource, (neededResources.get(resource) ?? 0) + amount);
    }
  }
  const free = new Map<string, number>();
  for (const group of table.groups()) {
    for (const slot of group.slots) {
      for (const resource of neededResources.keys()) {
        free.set(resource, (free.get(resource) ?? 0) + Math.max(0, slot.free(resource)));
      }
    }
  }
  const shortages = [...neededResources]
    .map(([resource, amount]) => [resource, amount - (free.get(resource) ?? 0)] as const)
    .filter(([, amount]) => amount > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const pods = plural(unplaced.length, 'more pod');
  if (shortages.length === 0) {
    return {
      resources: new Set([...neededResources.keys()].filter((resource) => resource !== 'pods')),
      message: `${pods} must find a node: ${why}`,
    };
  }
  const amounts = shortages.map(([resource, amount]) =>
    resource === 'pods'
      ? `room for ${plural(amount, 'pod')}`
      : `${formatAmount(resource, amount)} ${resource}`,
  );
  return {
    resources: new Set(shortages.map(([resource]) => resource)),
    message: `${pods} must find a node: ${amounts.join(', ')} missing`,
  };
};
