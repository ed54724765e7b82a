import type { Deployment, IntOrPercent } from '@perigee/kubernetes/apps/deployment';

/** Resolved maxSurge and maxUnavailable of a rollout. */
export interface RollingBounds {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

const PERCENT = /^(\d+)%$/;

export const countOf = (
  value: IntOrPercent,
  total: number,
  round: (count: number) => number,
): number => {
  if (typeof value === 'number') return value;
  const percent = PERCENT.exec(value)?.[1];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
};

export const wantedReplicas = ({ spec }: Deployment): number => spec.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean => spec.strategy?.type !== 'Recreate';

/** At least one is positive, or the rollout would be stuck. */
export const rollingBounds = (deployment: Deployment): RollingBounds => {
  const replicas = wantedReplicas(deployment);
  if (!isRolling(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } =
    deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, replicas, Math.ceil);
  const unavailable = countOf(maxUnavailable, replicas, Math.floor);
  const least = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge: surge, maxUnavailable: Math.min(least, replicas) };
};
