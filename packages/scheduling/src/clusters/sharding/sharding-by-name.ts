import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { hashRing } from './hash-ring.ts';
import { epochOf } from './present-homes.ts';
import { rendezvous } from './rendezvous.ts';
import type { Sharding } from './sharding.ts';
import { stickyGeo } from './sticky-geo.ts';

/** Sharding algorithms by their `--sharding` name. */
export const SHARDINGS = {
  'sticky-geo': stickyGeo,
  rendezvous,
  ring: hashRing,
} as const satisfies { readonly [name: string]: Sharding };

export type ShardingName = keyof typeof SHARDINGS;

/**
 * The algorithm in use, from the scheduler status of the newest epoch; the default before the first
 * assignment.
 */
export const shardingOf = (schedulers: readonly Scheduler[]): ShardingName =>
  schedulers
    .toSorted((a, b) => epochOf(b) - epochOf(a))
    .find(({ status }) => status?.sharding !== undefined)?.status?.sharding ?? 'sticky-geo';

export const isShardingName = (name: string): name is ShardingName =>
  Object.hasOwn(SHARDINGS, name);
