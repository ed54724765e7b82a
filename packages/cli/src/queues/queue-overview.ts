import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { formatResourceList, parseResourceList } from '@perigee/api/values/resource-list';
import { isInLine, queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { type Amounts, amountsOf, quantitiesOf } from '@perigee/scheduling/queues/amounts';
import { familyAmong } from '@perigee/scheduling/queues/dispatch-snapshot';
import { parentOf, ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import { totalRoom } from '@perigee/scheduling/queues/total-room';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';

type Written = { readonly [resource: string]: string };

export interface QueueLine {
  readonly queue: string;
  /** Its depth in the tree; 0 for children of the root. */
  readonly depth: number;
  readonly parent?: string;
  readonly state: string;
  readonly weight: number;
  readonly priority: number;
  /** Its dominant share: the largest fraction of any resource of all clusters, from 0 to 1. */
  readonly share: number;
  readonly guarantee: Written;
  readonly deserved: Written;
  readonly capability: Written;
  readonly used: Written;
  /** Use beyond the deserved amounts. */
  readonly borrowed: Written;
  readonly pending: number;
  readonly running: number;
  /** Start of the longest wait; absent when nothing waits or the user may not see it. */
  readonly oldestSince?: string;
}

const formatAmounts = (amounts: Amounts): Written => formatResourceList(quantitiesOf(amounts));

const amounts = (list: object | undefined): Amounts =>
  amountsOf(parseResourceList((list ?? {}) as Written));

const shareOf = (used: Amounts, total: Amounts): number =>
  Math.max(
    0,
    ...Array.from(used, ([resource, amount]) => {
      const all = Number(total.get(resource) ?? 0);
      return all > 0 ? Number(amount) / all : 0;
    }),
  );

/** Borrowing is only defined for resources with a deserved amount. */
const borrowedOf = (used: Amounts, deserved: Amounts): Amounts =>
  new Map(
    [...used]
      .map(([resource, amount]): [string, number] => [
        resource,
        deserved.has(resource) ? Number(amount) - Number(deserved.get(resource)) : 0,
      ])
      .filter(([, amount]) => amount > 0),
  );

const oldestByQueue = (bindings: readonly ResourceBinding[]): ReadonlyMap<string, number> => {
  const oldest = new Map<string, number>();
  for (const { metadata } of bindings) {
    const work = isInLine(metadata) ? queuedWorkOf(metadata) : undefined;
    if (work === undefined) continue;
    oldest.set(work.queue, Math.min(work.since, oldest.get(work.queue) ?? work.since));
  }
  return oldest;
};

/** All queues in tree order, with the use and the backlog of each subtree. */
export const queueOverview = (
  queues: readonly Queue[],
  bindings: readonly ResourceBinding[],
  clusters: readonly MemberCluster[],
): readonly QueueLine[] => {
  const total = totalRoom(clusters);
  const oldest = oldestByQueue(bindings);
  const family = familyAmong(
    queues.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
  );
  const visited = new Set<string>();
  const linesOf = (queue: Queue, depth: number): readonly QueueLine[] => {
    const { metadata, spec, status = {} } = queue;
    const { name } = metadata;
    if (visited.has(name)) return [];
    visited.add(name);
    const below = family.childrenOf(name).flatMap((child) => linesOf(child, depth + 1));
    const parts = below.filter((line) => line.depth === depth + 1);
    const usage = amounts(status.allocated);
    const since = Math.min(
      oldest.get(name) ?? Number.POSITIVE_INFINITY,
      ...parts.map((part) => Date.parse(part.oldestSince ?? '') || Number.POSITIVE_INFINITY),
    );
    const sum = (field: 'pending' | 'running') =>
      parts.reduce((all, part) => all + part[field], status[field] ?? 0);
    const parent = parentOf(queue);
    const line: QueueLine = {
      queue: name,
      depth,
      ...present({ parent }),
      state: status.state ?? 'Unknown',
      weight: spec.weight,
      priority: spec.priority ?? 0,
      share: shareOf(usage, total),
      guarantee: formatAmounts(amounts(spec.guarantee?.resource)),
      deserved: formatAmounts(amounts(spec.deserved)),
      capability: formatAmounts(amounts(spec.capability)),
      used: formatAmounts(usage),
      borrowed: formatAmounts(borrowedOf(usage, amounts(spec.deserved))),
      pending: sum('pending'),
      running: sum('running') + (status.inqueue ?? 0),
      ...present({ oldestSince: Number.isFinite(since) ? formatTime(since) : undefined }),
    };
    return [line, ...below];
  };
  const root = family.get(ROOT_QUEUE);
  const tops = root === undefined ? family.childrenOf(ROOT_QUEUE) : [root];
  const inTree = tops.flatMap((queue) => linesOf(queue, 0));
  // Queues whose parents are missing or cyclic are listed, too.
  const others = queues.filter(({ metadata }) => !visited.has(metadata.name));
  return [...inTree, ...others.flatMap((queue) => linesOf(queue, 0))];
};
