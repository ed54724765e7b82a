import type { Amount, Amounts } from '@perigee/scheduling/queues/amounts';
import { type QueueFacts, rootFacts } from '@perigee/scheduling/queues/queue-facts';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import type { Fits, RunningWork, WorkItem } from '@perigee/scheduling/queues/work-item';
import { compareStandings, standingOf } from '../../src/queues/fair-share.ts';

/** All that is known, as plain lists. */
export interface Plain {
  readonly queues: ReadonlyMap<string, QueueFacts>;
  readonly items: ReadonlyMap<string, WorkItem>;
  readonly running: ReadonlyMap<string, RunningWork>;
  readonly total: Amounts;
}

/** The queue and those above it, if they lead to the root. */
export const pathOf = (plain: Plain, name: string): readonly QueueFacts[] | undefined => {
  const path: QueueFacts[] = [];
  for (let at = name; at !== ROOT_QUEUE; ) {
    const facts = plain.queues.get(at);
    if (facts === undefined || path.includes(facts)) return undefined;
    path.push(facts);
    at = facts.parent;
  }
  return [...path, rootFacts];
};

const NONE: ReadonlySet<string> = new Set();

const childrenOf = ({ queues }: Plain, name: string): readonly QueueFacts[] =>
  [...queues.values()].filter((facts) => facts.parent === name && facts.name !== ROOT_QUEUE);

export const usedBy = (plain: Plain, name: string, resource: string): number => {
  const own = [...plain.running.values()]
    .filter(({ queue }) => queue === name)
    .reduce((sum, { amounts }) => sum + Number(amounts.get(resource) ?? 0), 0);
  return childrenOf(plain, name).reduce((sum, c) => sum + usedBy(plain, c.name, resource), own);
};

const runningIn = (plain: Plain, name: string): number =>
  childrenOf(plain, name).reduce(
    (sum, c) => sum + runningIn(plain, c.name),
    [...plain.running.values()].filter(({ queue }) => queue === name).length,
  );

/** The usage of a queue, with at least the guarantee of each child queue. */
const committed = (plain: Plain, name: string, resource: string): number => {
  const own = [...plain.running.values()]
    .filter(({ queue }) => queue === name)
    .reduce((sum, { amounts }) => sum + Number(amounts.get(resource) ?? 0), 0);
  return childrenOf(plain, name).reduce(
    (sum, c) =>
      sum + Math.max(Number(c.guarantee.get(resource) ?? 0), committed(plain, c.name, resource)),
    own,
  );
};

const withMore = (plain: Plain, { key, queue, requests }: WorkItem): Plain => {
  const more: RunningWork = {
    ...{ key, queue, amounts: requests, priority: 0, startedAt: 0, clusters: [] },
  };
  return { ...plain, running: new Map(plain.running).set(key, more) };
};

const isAbove = (amount: number, limit: Amount | undefined): boolean =>
  limit !== undefined && amount > limit;

/** By the rules as they are told: nobody uses more than a capability, and nobody takes what is kept for others. */
const isAllowed = (plain: Plain, item: WorkItem, path: readonly QueueFacts[]): boolean => {
  const after = withMore(plain, item);
  return [...item.requests.keys()].every((resource) =>
    path.every(({ name, capability, guarantee }) => {
      const limit = capability.get(resource);
      if (isAbove(usedBy(after, name, resource), limit)) return false;
      const now = committed(after, name, resource);
      const takesMore =
        now > Math.max(committed(plain, name, resource), Number(guarantee.get(resource) ?? 0));
      if (!takesMore) return true;
      return (
        !isAbove(now, limit) && !(name === ROOT_QUEUE && isAbove(now, plain.total.get(resource)))
      );
    }),
  );
};

const isGuaranteedTo = (plain: Plain, item: WorkItem): boolean => {
  const path = pathOf(plain, item.queue) ?? [];
  const after = withMore(plain, item);
  const named = [...item.requests.keys()].filter((resource) =>
    path.some(({ guarantee }) => guarantee.has(resource)),
  );
  return (
    named.length > 0 &&
    named.every(
      (resource) =>
        committed(after, ROOT_QUEUE, resource) === committed(plain, ROOT_QUEUE, resource),
    )
  );
};

const byPlace = (a: WorkItem, b: WorkItem): number =>
  b.priority - a.priority || a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1);

/** The work of a queue that may be tried, in order. */
const lineOf = (plain: Plain, facts: QueueFacts, fits: Fits): readonly WorkItem[] => {
  const path = pathOf(plain, facts.name);
  if (path === undefined) return [];
  const idle = { ...plain, running: new Map() };
  const line = [...plain.items.values()]
    .filter(({ queue, claimsSettled }) => queue === facts.name && claimsSettled)
    .filter((item) => fits(item, NONE).kind !== 'never')
    .filter((item) => isAllowed(idle, item, path))
    .sort(byPlace);
  return facts.isStrict ? line.slice(0, 1) : line;
};

/** All work that may be tried, queue by queue in the order of their shares. */
const inOrder = (plain: Plain, name: string, fits: Fits): readonly WorkItem[] => {
  const facts = name === ROOT_QUEUE ? rootFacts : (plain.queues.get(name) as QueueFacts);
  if (!facts.isOpen) return [];
  const children = childrenOf(plain, name);
  if (children.length === 0) return lineOf(plain, facts, fits);
  return children
    .map((child) => {
      const resources = [...plain.running.values()].flatMap(({ amounts }) => [...amounts.keys()]);
      const used = new Map(resources.map((r) => [r, usedBy(plain, child.name, r)]));
      const running = runningIn(plain, child.name);
      return { child, standing: standingOf(child, used, { total: plain.total, running }) };
    })
    .sort(
      (a, b) => compareStandings(a.standing, b.standing) || (a.child.name < b.child.name ? -1 : 1),
    )
    .flatMap(({ child }) => inOrder(plain, child.name, fits));
};

/** The choice, by looking at everything. */
export const choosePlainly = (plain: Plain, fits: Fits): string | undefined => {
  const able = inOrder(plain, ROOT_QUEUE, fits).filter(
    (item) =>
      isAllowed(plain, item, pathOf(plain, item.queue) ?? []) && fits(item, NONE).kind === 'fits',
  );
  return (able.find((item) => isGuaranteedTo(plain, item)) ?? able[0])?.key;
};

/** The first of each line that its guarantee alone would let go, and that has room. */
export const guaranteedHeads = (plain: Plain, fits: Fits): readonly string[] =>
  [...plain.queues.values()].flatMap((facts) => {
    const [head] = lineOf(plain, { ...facts, isStrict: true }, fits);
    const path = pathOf(plain, facts.name) ?? [];
    const isLeaf = childrenOf(plain, facts.name).length === 0;
    if (head === undefined || !isLeaf || path.some(({ isOpen }) => !isOpen)) return [];
    const canGo = isGuaranteedTo(plain, head) && isAllowed(plain, head, path);
    return canGo && fits(head, NONE).kind === 'fits' ? [head.key] : [];
  });
