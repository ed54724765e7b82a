import type { JsonObject } from '@perigee/schema/json';
import { at, countAt, isBeingDeleted, isConditionTrue, listAt, textAt } from './fields.ts';

/** State of the containers of a pod, for its columns. */
export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When a container ended last, as the text of the time; empty if none did. */
  readonly lastRestart: string;
  readonly reason: string;
}

const exitText = (terminated: JsonObject): string => {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = countAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${countAt(terminated, 'exitCode')}` : `Signal:${signal}`;
};

const terminatedOf = (status: JsonObject): JsonObject | undefined =>
  at(status, 'state', 'terminated') as JsonObject | undefined;

const waitingReason = (status: JsonObject): string => textAt(status, 'state', 'waiting', 'reason');

const restartsOf = (statuses: readonly JsonObject[]) => ({
  restarts: statuses.reduce((sum, status) => sum + countAt(status, 'restartCount'), 0),
  lastRestart:
    statuses
      .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
      .toSorted()
      .at(-1) ?? '',
});

const basicReason = (pod: JsonObject): string => {
  const isGated = listAt(pod, 'status', 'conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
};

/** State of the init containers: the number of ready sidecars, and the first step that has not completed. */
const initialisation = (pod: JsonObject, sidecars: ReadonlySet<string>) => {
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  const total = listAt(pod, 'spec', 'initContainers').length;
  let ready = 0;
  for (const [index, status] of statuses.entries()) {
    const terminated = terminatedOf(status);
    if (terminated && countAt(terminated, 'exitCode') === 0) continue;
    if (sidecars.has(textAt(status, 'name')) && status.started === true) {
      if (status.ready === true) ready += 1;
      continue;
    }
    const startedStatuses = statuses.slice(0, index + 1);
    const waitReason = waitingReason(status);
    if (terminated)
      return { ready, initStatuses: startedStatuses, reason: `Init:${exitText(terminated)}` };
    if (waitReason !== '' && waitReason !== 'PodInitializing') {
      return { ready, initStatuses: startedStatuses, reason: `Init:${waitReason}` };
    }
    return { ready, initStatuses: startedStatuses, reason: `Init:${index}/${total}` };
  }
  return { ready, initStatuses: statuses, reason: undefined };
};

const summariseContainers = (pod: JsonObject, fallback: string) => {
  let [ready, reason, failure] = [0, fallback, ''];
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    const waitReason = waitingReason(status);
    const terminated = terminatedOf(status);
    if (waitReason !== '') reason = waitReason;
    else if (terminated) {
      reason = exitText(terminated);
      if (countAt(terminated, 'exitCode') !== 0) failure = reason;
    } else if (status.ready === true && at(status, 'state', 'running') !== undefined) ready += 1;
  }
  if (reason !== 'Completed') return { ready, reason };
  if (ready > 0 && isConditionTrue(pod, 'Ready')) return { ready, reason: 'Running' };
  if (failure !== '') return { ready, reason: failure };
  return { ready, reason: ready > 0 ? 'NotReady' : reason };
};

const finalReason = (pod: JsonObject, reason: string): string => {
  if (!isBeingDeleted(pod)) return reason;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
};

const isSidecar = ({ restartPolicy }: JsonObject): boolean => restartPolicy === 'Always';

export const summarisePod = (pod: JsonObject): PodSummary => {
  const sidecarNames = listAt(pod, 'spec', 'initContainers')
    .filter(isSidecar)
    .map((container) => textAt(container, 'name'));
  const sidecars = new Set(sidecarNames);
  const total = listAt(pod, 'spec', 'containers').length + sidecarNames.length;
  const init = initialisation(pod, sidecars);
  if (init.reason !== undefined && !isConditionTrue(pod, 'Initialized')) {
    const reason = finalReason(pod, init.reason);
    return { ready: init.ready, total, ...restartsOf(init.initStatuses), reason };
  }
  const main = summariseContainers(pod, init.reason ?? basicReason(pod));
  const lasting = init.initStatuses.filter((status) => sidecars.has(textAt(status, 'name')));
  return {
    ready: init.ready + main.ready,
    total,
    ...restartsOf([...lasting, ...listAt(pod, 'status', 'containerStatuses')]),
    reason: finalReason(pod, main.reason),
  };
};
