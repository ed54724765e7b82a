import { sameJson } from '@perigee/api/schema/validate/same-json';
import { formatTime } from '@perigee/api/values/time';
import type { ObjectRef } from '@perigee/kube/client/client';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { isNotFound } from '@perigee/kube/errors';
import { isNodeReady, NODE } from '../kinds/node.ts';
import { POD, type Pod } from '../kinds/pod.ts';
import type { PodStatus } from '../kinds/pod-status.ts';
import { endConditions, mergeConditions } from '../kubelet/pod-conditions.ts';
import { isFinished, isTerminating } from '../pods/pod-state.ts';
import { processPodStatus } from './process-pod-status.ts';
import type { ProcessRuntime } from './process-runtime.ts';
import { runsAsProcesses } from './runtime-of.ts';

const NOT_ALLOWED =
  'this member does not run processes; whoever operates it can switch that on, with --run-processes';

const refused = ({ status: old = {} }: Pod, now: number): PodStatus => ({
  ...old,
  phase: 'Failed',
  reason: 'ProcessesNotAllowed',
  message: NOT_ALLOWED,
  startTime: old.startTime ?? formatTime(now),
  conditions: mergeConditions(old.conditions ?? [], endConditions('Failed'), formatTime(now)),
});

const report = async (pod: Pod, status: PodStatus, { client }: ReconcileContext) => {
  if (sameJson(status as never, (pod.status ?? {}) as never)) return;
  await client.update(POD, { ...pod, status }, { subresource: 'status' });
};

const remove = ({ metadata }: Pod, { client }: ReconcileContext) => {
  const { name, namespace = '', uid } = metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  return client.delete(POD, { name, namespace }, options);
};

const act = async (
  pod: Pod,
  runtime: ProcessRuntime | undefined,
  context: ReconcileContext,
): Promise<void> => {
  const { cache, clock } = context;
  runtime?.keep(pod);
  if (isFinished(pod)) {
    runtime?.release(pod);
    if (isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds !== 0)
      await remove(pod, context);
    return;
  }
  const node = cache(NODE).get({ name: pod.spec.nodeName ?? '' });
  if (node === undefined || !isNodeReady(node)) return;
  const { addresses = [] } = node.status ?? {};
  const hostIP = addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  if (runtime === undefined) return report(pod, refused(pod, clock.now()), context);
  const run = runtime.find(pod) ?? runtime.run(pod, hostIP);
  if (isTerminating(pod)) run.stop((pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
  await report(pod, processPodStatus(pod, run, hostIP, clock.now()), context);
};

const newsOf = (runtime: ProcessRuntime): Source => ({
  kinds: [],
  start: ({ enqueue }) => runtime.subscribe((ref) => enqueue(ref)),
});

/**
 * The kubelets of pods that really run, as processes of this machine. Without a runtime, such pods are
 * refused: to play what was asked to be done would be a lie.
 */
export const processController = (runtime: ProcessRuntime | undefined): ControllerDefinition => {
  const isOurs = (pod: Pod | undefined): boolean =>
    pod !== undefined &&
    Boolean(pod.spec.nodeName) &&
    runsAsProcesses(pod, runtime?.runsAll ?? false);
  return defineController({
    name: 'process-runtime',
    waitsForOthers: true,
    for: POD,
    when: (now, before) => isOurs(now) || isOurs(before),
    concurrency: 16,
    reads: [NODE],
    watches: runtime === undefined ? [] : [newsOf(runtime)],
    reconcile: async (ref: ObjectRef, context) => {
      const pod = context.cache(POD).get(ref);
      const ours = isOurs(pod) ? pod : undefined;
      await runtime?.forgetOthers(ref, ours?.metadata.uid);
      if (ours === undefined) return undefined;
      try {
        await act(ours, runtime, context);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return undefined;
    },
  });
};
