import { hashRing } from './hash-ring.ts';
import { rendezvous } from './rendezvous.ts';
import type { Sharding } from './sharding.ts';
import { stickyGeo } from './sticky-geo.ts';

/** The ways to share clusters out, as `--sharding` names them. */
export const SHARDINGS = {
  'sticky-geo': stickyGeo,
  rendezvous,
  ring: hashRing,
} as const satisfies { readonly [name: string]: Sharding };

export type ShardingName = keyof typeof SHARDINGS;

export const isShardingName = (name: string): name is ShardingName =>
  Object.hasOwn(SHARDINGS, name);
