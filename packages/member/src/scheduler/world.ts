import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { bindPod, reportUnschedulable } from './bind-pod.ts';
import type { KeptRoom } from './kept-room.ts';
import type { LastingRoom } from './lasting-room.ts';
import type { Assignment, Placement, Refusal } from './placement.ts';
import { priorityOf } from './pod-priority.ts';
import type { SchedulerState } from './scheduler-watches.ts';

/** The state of the scheduler. */
export interface World {
  readonly state: SchedulerState;
  readonly keptRoom: KeptRoom;
  readonly lasting: LastingRoom;
  placement: Placement;
}

export const keyOf = (pod: Pod): string => objectKey(pod.metadata);

/** Binds a pod to its node. */
export const assign = async (
  { state }: World,
  assignment: Assignment,
  context: ReconcileContext,
): Promise<void> => {
  const { uid } = assignment.pod.metadata;
  state.retry(state.waitingPods.remove(keyOf(assignment.pod)));
  try {
    if (await bindPod(assignment, context)) return;
  } catch (error) {
    state.table.remove(uid);
    throw error;
  }
  state.table.remove(uid);
};

/** Puts a pod into the wait of its class, and reports the reason. */
export const refuse = async (
  { state }: World,
  refusal: Refusal,
  ofClass: string,
  context: ReconcileContext,
): Promise<void> => {
  const priority = priorityOf(refusal.pod, context.cache(PriorityClass));
  state.waitingPods.add(keyOf(refusal.pod), ofClass, priority);
  await reportUnschedulable(refusal, context);
};
