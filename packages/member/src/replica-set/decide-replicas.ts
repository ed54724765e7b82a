import type { Pod } from '@perigee/kubernetes/core/pod';
import { isActive } from '../pods/pod-state.ts';
import { rankForDeletion } from '../pods/rank-for-deletion.ts';

/** Most pods to create or delete in one reconcile. */
const BURST = 500;

export interface ReplicaDecision {
  readonly create: number;
  readonly remove: readonly Pod[];
}

/** Pods to create and delete, to have as many active ones as desired. */
export const decideReplicas = (
  replicas: number,
  pods: readonly Pod[],
  relatives: readonly Pod[],
  now: number,
): ReplicaDecision => {
  const active = pods.filter(isActive);
  const shortage = replicas - active.length;
  if (shortage >= 0) return { create: Math.min(shortage, BURST), remove: [] };
  const ranked = rankForDeletion(active, relatives.filter(isActive), now);
  return { create: 0, remove: ranked.slice(0, Math.min(-shortage, BURST)) };
};
