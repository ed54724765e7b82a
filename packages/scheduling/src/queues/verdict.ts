import { present } from '@perigee/schema/present';
import type { Amounts } from './amounts.ts';
import { impossibleBy, shortageOf } from './limits.ts';
import type { QueueTree } from './queue-tree.ts';
import type { RoomShortage } from './room-shortage.ts';
import type { QueueEntry } from './shapes.ts';
import type { Shortage } from './work-item.ts';

/** The reason why work waits. Positions count from 1. */
export type Verdict =
  | { readonly kind: 'data' }
  /** The queue does not exist, or is not part of the tree. */
  | { readonly kind: 'no-queue'; readonly why: string }
  /** The queue or an ancestor is closed. */
  | { readonly kind: 'closed'; readonly queue: string }
  /** Only leaf queues run work. */
  | { readonly kind: 'has-parts'; readonly queue: string }
  | { readonly kind: 'never'; readonly why: string }
  | { readonly kind: 'never-by-limit'; readonly shortage: Shortage }
  | { readonly kind: 'quota'; readonly shortage: Shortage; readonly position: number }
  | {
      readonly kind: 'capacity';
      readonly missing: Amounts;
      readonly clusters: readonly string[];
      readonly shortages?: readonly RoomShortage[];
      readonly position: number;
    }
  /** Blocked only by the work ahead of it. */
  | { readonly kind: 'turn'; readonly position: number };

const closedAbove = ({ node }: QueueEntry): string | undefined => {
  for (let at: QueueEntry['node'] | undefined = node; at !== undefined; at = at.parent) {
    if (at.facts?.isOpen === false) return at.name;
  }
  return undefined;
};

export const verdictOn = (entry: QueueEntry, tree: QueueTree): Verdict => {
  const { item, node, shape } = entry;
  if (!item.claimsSettled) return { kind: 'data' };
  const why = tree.problemOf(node.name);
  if (why !== undefined) return { kind: 'no-queue', why };
  const closedQueue = closedAbove(entry);
  if (closedQueue !== undefined) return { kind: 'closed', queue: closedQueue };
  if (node.children.size > 0) return { kind: 'has-parts', queue: node.name };
  const excess = impossibleBy(entry, tree.total);
  if (excess !== undefined) return { kind: 'never-by-limit', shortage: excess };
  if (shape.refusal?.kind === 'never') return { kind: 'never', why: shape.refusal.why };
  const position = node.line.rank(entry) + 1;
  if (node.isStrict && position > 1) return { kind: 'turn', position };
  const shortage = shortageOf(entry, tree.total);
  if (shortage !== undefined) return { kind: 'quota', shortage, position };
  if (shape.refusal === undefined) return { kind: 'turn', position };
  const { missing, clusters, shortages } = shape.refusal;
  return { kind: 'capacity', missing, clusters, ...present({ shortages }), position };
};

/**
 * The reason why work is held: its queue, its user's suspension, or a queue its namespace may not
 * use.
 */
export type HeldVerdict =
  | Verdict
  | { readonly kind: 'suspended' }
  | { readonly kind: 'barred'; readonly queue: string };
