import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { isFinished } from '../pods/pod-state.ts';
import {
  createNewSet,
  creationNoted,
  refreshNewSet,
  revisionNoted,
  scaleSet,
} from './change-replica-sets.ts';
import { countedStatus, isComplete } from './deployment-status.ts';
import { findNewSet } from './new-replica-set.ts';
import { growNew, replicasOf, type Scale, shrinkOld } from './roll.ts';
import { scaleInProportion } from './scale-in-proportion.ts';

/** The state of the rollout after a step. */
export interface Rollout {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  readonly isDone: boolean;
}

export interface RolloutWorld extends Pick<ReconcileContext, 'client' | 'clock' | 'events'> {
  readonly podsOf: (set: ReplicaSet) => readonly Pod[];
  readonly time: string;
}

type Sets = readonly ReplicaSet[];

const split = (deployment: Deployment, sets: Sets) => {
  const newSet = findNewSet(deployment, sets);
  return { newSet, old: sets.filter((set) => set !== newSet) };
};

/** Scales the sets, and returns their new state. */
const scaleAll = async (
  deployment: Deployment,
  sets: Sets,
  scales: readonly Scale[],
  world: RolloutWorld,
): Promise<Sets> => {
  const replacements = new Map<ReplicaSet, ReplicaSet>();
  for (const scale of scales) replacements.set(scale.set, await scaleSet(deployment, scale, world));
  return sets.map((set) => replacements.get(set) ?? set);
};

const withNewSet = async (
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: Sets,
  world: RolloutWorld,
): Promise<Rollout & { readonly newSet: ReplicaSet }> => {
  const present =
    newSet === undefined
      ? await createNewSet(deployment, old, world)
      : await refreshNewSet(deployment, newSet, old, world);
  const next = revisionNoted(deployment, present);
  return {
    deployment: newSet === undefined ? creationNoted(next, present, world.time) : next,
    newSet: present,
    old,
    isDone: false,
  };
};

const withDone = (rollout: Rollout, world: RolloutWorld): Rollout => {
  const { deployment, newSet, old } = rollout;
  const all = newSet === undefined ? old : [...old, newSet];
  const countStatus = countedStatus(deployment, newSet, all, world.time);
  return { ...rollout, isDone: isComplete(deployment, countStatus) };
};

/** One step of a rolling update: the new set grows, or else the old ones shrink. */
export const rollOut = async (
  cachedDeployment: Deployment,
  sets: Sets,
  world: RolloutWorld,
): Promise<Rollout> => {
  const parts = split(cachedDeployment, sets);
  const rollout = await withNewSet(cachedDeployment, parts.newSet, parts.old, world);
  const { deployment, newSet, old } = rollout;
  const growth = growNew(deployment, newSet, old);
  if (growth !== undefined) {
    return { ...rollout, newSet: await scaleSet(deployment, growth, world) };
  }
  const scales = shrinkOld(deployment, newSet, old);
  if (scales.length > 0) {
    return { ...rollout, old: await scaleAll(deployment, old, scales, world) };
  }
  return withDone(rollout, world);
};

/** One step of the Recreate strategy: all old pods end before the first new one starts. */
export const recreate = async (
  cachedDeployment: Deployment,
  sets: Sets,
  world: RolloutWorld,
): Promise<Rollout> => {
  const { newSet, old } = split(cachedDeployment, sets);
  const active = old.filter((set) => replicasOf(set) > 0);
  if (active.length > 0) {
    const scales = active.map((set) => ({ set, replicas: 0 }));
    const scaled = await scaleAll(cachedDeployment, old, scales, world);
    return { deployment: cachedDeployment, newSet, old: scaled, isDone: false };
  }
  const isRunning = old.some((set) => world.podsOf(set).some((pod) => !isFinished(pod)));
  if (isRunning) return { deployment: cachedDeployment, newSet, old, isDone: false };
  const rollout = await withNewSet(cachedDeployment, newSet, old, world);
  const growth = growNew(rollout.deployment, rollout.newSet, old);
  if (growth === undefined) return withDone(rollout, world);
  return { ...rollout, newSet: await scaleSet(rollout.deployment, growth, world) };
};

/** Scales the sets with the deployment, without rolling anything out. */
export const followScale = async (
  deployment: Deployment,
  sets: Sets,
  world: RolloutWorld,
): Promise<Rollout> => {
  const { newSet: matchingSet, old } = split(deployment, sets);
  const newSet = matchingSet && (await refreshNewSet(deployment, matchingSet, old, world));
  const all = newSet === undefined ? old : [...old, newSet];
  const scaled = await scaleAll(deployment, all, scaleInProportion(deployment, newSet, old), world);
  return {
    deployment,
    newSet: newSet === undefined ? undefined : scaled.at(-1),
    old: newSet === undefined ? scaled : scaled.slice(0, -1),
    isDone: deployment.spec.paused === true,
  };
};
