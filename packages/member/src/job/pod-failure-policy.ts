import type { JobSpec, PodFailureAction, PodFailureRule } from '@perigee/kubernetes/batch/job';
import type { Pod } from '@perigee/kubernetes/core/pod';

/** The action for a failed pod, and the reason. */
export interface FailureVerdict {
  readonly action: PodFailureAction;
  readonly message: string;
}

const describe = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

const byExitCode = (
  { onExitCodes }: PodFailureRule,
  pod: Pod,
  place: number,
): string | undefined => {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  for (const { name, state } of pod.status?.containerStatuses ?? []) {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0) continue;
    if (containerName !== undefined && containerName !== name) continue;
    if (values.includes(exitCode) !== (operator === 'In')) continue;
    return `Container ${name} for pod ${describe(pod)} failed with exit code ${exitCode} matching FailJob rule at index ${place}`;
  }
  return undefined;
};

const byCondition = (
  { onPodConditions = [] }: PodFailureRule,
  pod: Pod,
  place: number,
): string | undefined => {
  const match = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return match === undefined
    ? undefined
    : `Pod ${describe(pod)} has condition ${match.type} matching FailJob rule at index ${place}`;
};

/** The first matching rule decides; a failure without one counts. */
export const judgeFailure = ({ podFailurePolicy }: JobSpec, pod: Pod): FailureVerdict => {
  for (const [place, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const message = byExitCode(rule, pod, place) ?? byCondition(rule, pod, place);
    if (message !== undefined) return { action: rule.action, message };
  }
  return { action: 'Count', message: '' };
};
