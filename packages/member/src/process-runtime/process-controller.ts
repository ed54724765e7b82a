import type { ObjectRef } from '@perigee/kube/client/client';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { ignoreNotFound } from '@perigee/kube/errors';
import { isNodeReady, Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { PodStatus } from '@perigee/kubernetes/core/pod-status';
import { formatTime } from '@perigee/schema/values/time';
import { configIndex, configWatches, missingNow } from '../config/config-watches.ts';
import { endConditions, mergeConditions } from '../kubelet/pod-conditions.ts';
import { waitingStatus } from '../kubelet/waiting-status.ts';
import { isFinished, isTerminating } from '../pods/pod-state.ts';
import type { PodRun } from './pod-run.ts';
import { processPodStatus } from './process-pod-status.ts';
import type { ProcessRuntime } from './process-runtime.ts';
import { CONFIG_ERROR } from './run-container.ts';
import { runsAsProcesses } from './runtime-of.ts';

const NO_MEMBER =
  'this member does not run processes; whoever operates it can switch that on, with --run-processes';

const notHere = (namespace: string): string =>
  `pods of the namespace "${namespace}" may not run processes here; whoever operates this member can add it to --process-namespaces`;

/** The reason why a pod may not run processes here. */
const refusal = ({ metadata }: Pod, runtime: ProcessRuntime | undefined): string | undefined => {
  const { namespace = '' } = metadata;
  if (runtime === undefined) return NO_MEMBER;
  return runtime.allows(namespace) ? undefined : notHere(namespace);
};

const NOT_ALLOWED = 'ProcessesNotAllowed';

/**
 * A refused pod stays Pending. Failing it would make its owner create replacements without end; it fails only if it has
 * run already, or is being deleted.
 */
const refusalStatus = (pod: Pod, message: string, now: number): PodStatus => {
  const { status: old = {} } = pod;
  const time = formatTime(now);
  if (old.startTime === undefined && !isTerminating(pod)) {
    return waitingStatus(pod, () => ({ reason: NOT_ALLOWED, message }), time);
  }
  return {
    ...old,
    phase: 'Failed',
    reason: NOT_ALLOWED,
    message,
    conditions: mergeConditions(old.conditions ?? [], endConditions('Failed'), time),
  };
};

/** Writes a changed status. Returns true if it did. */
const report = async (
  pod: Pod,
  status: PodStatus,
  { client }: ReconcileContext,
): Promise<boolean> => {
  return (await replaceStatus(client, Pod, pod, status)) !== pod;
};

const remove = ({ metadata }: Pod, { client }: ReconcileContext) => {
  const { name, namespace = '', uid } = metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  return client.delete(Pod, { name, namespace }, options);
};

/** Writes an event for the missing references of a pod, as a kubelet does. */
const reportWaiting = (pod: Pod, { mountProblem }: PodRun, { events }: ReconcileContext): void => {
  if (mountProblem !== undefined) events.warning(pod, 'FailedMount', mountProblem);
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  for (const { state } of [...initContainerStatuses, ...containerStatuses]) {
    const { reason, message = '' } = state?.waiting ?? {};
    if (reason === CONFIG_ERROR) events.warning(pod, 'Failed', `Error: ${message}`);
  }
};

const act = async (
  pod: Pod,
  runtime: ProcessRuntime | undefined,
  context: ReconcileContext,
): Promise<void> => {
  const { cache, clock, events } = context;
  runtime?.keep(pod);
  if (isFinished(pod)) {
    await runtime?.release(pod);
    if (isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds !== 0)
      await remove(pod, context);
    return;
  }
  const node = cache(Node).get({ name: pod.spec.nodeName ?? '' });
  if (node === undefined || !isNodeReady(node)) return;
  const { addresses = [] } = node.status ?? {};
  const hostIP = addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  const message = refusal(pod, runtime);
  if (runtime === undefined || message !== undefined) {
    const isChange = await report(pod, refusalStatus(pod, message ?? '', clock.now()), context);
    if (isChange) events.warning(pod, NOT_ALLOWED, message ?? '');
    return;
  }
  const run = runtime.find(pod) ?? runtime.run(pod, hostIP);
  if (isTerminating(pod)) run.stop((pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
  run.lacks(missingNow(pod, cache));
  const isChange = await report(pod, processPodStatus(pod, run, hostIP, clock.now()), context);
  // A changed status triggers the next reconcile, which writes the event.
  if (!isChange) reportWaiting(pod, run, context);
};

const runtimeChanges = (runtime: ProcessRuntime): Source => ({
  kinds: [],
  start: ({ enqueue }) => runtime.subscribe((ref) => enqueue(ref)),
});

/**
 * Runs pods as processes of this machine. Pods that may not run here wait: simulating commands that should run would be
 * a lie.
 */
export const processController = (runtime: ProcessRuntime | undefined): ControllerDefinition => {
  const isOurs = (pod: Pod | undefined): boolean =>
    pod !== undefined &&
    Boolean(pod.spec.nodeName) &&
    runsAsProcesses(pod, runtime?.runsAll(pod.metadata.namespace ?? '') ?? false);
  return defineController({
    name: 'process-runtime',
    for: Pod,
    when: (now, before) => isOurs(now) || isOurs(before),
    concurrency: 16,
    reads: [Node],
    indexes: [configIndex],
    watches: runtime === undefined ? [] : [runtimeChanges(runtime), ...configWatches],
    reconcile: async (ref: ObjectRef, context) => {
      const pod = context.cache(Pod).get(ref);
      const ours = isOurs(pod) ? pod : undefined;
      await runtime?.forgetOthers(ref, ours?.metadata.uid);
      if (ours === undefined) return undefined;
      await act(ours, runtime, context).catch(ignoreNotFound);
      return undefined;
    },
  });
};
