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
  wanted: number,
  pods: readonly Pod[],
  related: readonly Pod[],
  now: number,
): ReplicaDecision => {
  const active = pods.filter(isActive);
  const missing = wanted - active.length;
  if (missing >= 0) return { create: Math.min(missing, BURST), remove: [] };
  const ranked = rankForDeletion(active, related.filter(isActive), now);
  return { create: 0, remove: ranked.slice(0, Math.min(-missing, BURST)) };
};
