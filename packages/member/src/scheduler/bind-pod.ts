import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { Pod, PodBinding } from '@perigee/kubernetes/core/pod';
import { formatTime } from '@perigee/schema/values/time';
import { podCondition } from '../pods/pod-state.ts';
import type { Assignment, Refusal } from './placement.ts';

type Context = Pick<ReconcileContext, 'client' | 'clock' | 'events'>;

const describe = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

/** Binds a pod. Returns false when it is gone or bound already. */
export const bindPod = async (
  { pod, node }: Assignment,
  { client, events }: Context,
): Promise<boolean> => {
  const { name, namespace = '', uid } = pod.metadata;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node },
  } as const;
  try {
    await client.create(PodBinding, binding, { subresource: 'binding' });
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
  events.normal(pod, 'Scheduled', `Successfully assigned ${describe(pod)} to ${node}`);
  return true;
};

/** Writes the condition and the event that a pod is unschedulable. */
export const reportUnschedulable = async (
  { pod, message }: Refusal,
  { client, clock, events }: Context,
): Promise<void> => {
  const old = podCondition(pod, 'PodScheduled');
  if (old?.status === 'False' && old.message === message) return;
  const time = formatTime(clock.now());
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? time) : time,
  } as const;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const status = { ...pod.status, conditions: [...others, condition] };
  events.warning(pod, 'FailedScheduling', message);
  try {
    await replaceStatus(client, Pod, pod, status);
  } catch (error) {
    // The change that caused the conflict triggers another try.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
};
