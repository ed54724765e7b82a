import { carriedPlacement } from '../data/carried-placement.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';

/**
 * The number of clusters that each run a full copy: those the scheduler would choose now, at least
 * one.
 */
export const copiesAmong = (
  { metadata, spec, status = {} }: Binding,
  clusters: readonly ClusterFacts[],
): number => {
  const world = { clusters, rules: standardRules };
  const { outcome } = schedule(spec, status, world, carriedPlacement(metadata));
  return outcome.kind === 'placed' ? Math.max(1, outcome.clusters.length) : 1;
};
