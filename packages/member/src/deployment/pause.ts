import type { Deployment } from '@perigee/kubernetes/apps/deployment';
import { conditionOf } from '../status/workload-conditions.ts';
import { progressDeadlineMs, withDeploymentCondition } from './deployment-status.ts';

const PAUSED = 'DeploymentPaused';

/** Sets the condition that a deployment was paused or resumed. */
export const withPauseNoted = (deployment: Deployment, time: string): Deployment => {
  const { spec, status } = deployment;
  const conditions = status?.conditions ?? [];
  const reason = conditionOf(conditions, 'Progressing')?.reason;
  if (progressDeadlineMs(deployment) === undefined) return deployment;
  const isPaused = spec.paused === true;
  if (reason === 'ProgressDeadlineExceeded' || isPaused === (reason === PAUSED)) return deployment;
  const news = isPaused
    ? { reason: PAUSED, message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  const condition = { type: 'Progressing', status: 'Unknown', ...news } as const;
  return {
    ...deployment,
    status: { ...status, conditions: withDeploymentCondition(conditions, condition, time) },
  };
};
