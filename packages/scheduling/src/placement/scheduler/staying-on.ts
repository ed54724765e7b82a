import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { webster } from './assign/webster.ts';
import { divisionStrategy } from './division-strategy.ts';
import { isDivisible } from './placement-request.ts';

const atMost = (
  { replicas = 0, placement, resource }: BindingSpec,
  present: readonly TargetCluster[],
): readonly TargetCluster[] => {
  if (divisionStrategy(placement?.replicaScheduling) === 'duplicated') {
    return present.map((target) => ({
      ...target,
      replicas: Math.min(replicas, target.replicas ?? replicas),
    }));
  }
  const parties = present.map((target) => ({ name: target.name, votes: target.replicas ?? 0 }));
  const sum = parties.reduce((total, { votes }) => total + votes, 0);
  if (sum <= replicas) return present;
  const shares = webster(replicas, parties, resource.uid);
  return shares.map(({ name, seats }) => ({ name, replicas: seats }));
};

/**
 * The placement of work that no longer fits any cluster: its present clusters that still exist, without additional
 * replicas. A scale-down, even to zero, is divided in proportion to the present shares.
 */
export const stayingOn = (
  spec: BindingSpec,
  isLost: (cluster: string) => boolean,
): readonly TargetCluster[] => {
  const present = (spec.clusters ?? []).filter(({ name }) => !isLost(name));
  if (!isDivisible(spec)) return present.map(({ replicas: _, ...target }) => target);
  return atMost(spec, present).filter(({ replicas = 0 }) => replicas > 0);
};
