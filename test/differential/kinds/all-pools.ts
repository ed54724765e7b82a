import { CORE_POOLS } from './core-pools.ts';
import { CUSTOM_POOLS } from './custom-pools.ts';
import type { KindPool } from './kind-pool.ts';
import { POLICY_POOLS } from './policy-pools.ts';
import { WORKLOAD_POOLS } from './workload-pools.ts';

export const POOLS: ReadonlyMap<string, KindPool> = new Map(
  [CORE_POOLS, WORKLOAD_POOLS, POLICY_POOLS, CUSTOM_POOLS].flat().map((pool) => [pool.kind, pool]),
);

export const poolOf = (kind: string): KindPool => {
  const pool = POOLS.get(kind);
  if (pool === undefined) {
    throw new Error(`no kind ${kind} is compared; there are ${[...POOLS.keys()].join(', ')}`);
  }
  return pool;
};
