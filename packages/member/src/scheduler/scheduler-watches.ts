import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import { objectKey, refOfKey } from '@perigee/kube/informer/object-key';
import { Node } from '@perigee/kubernetes/core/node';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { isActive, isFinished } from '../pods/pod-state.ts';
import type { NodeTable } from './node-table.ts';
import { demandOf } from './pod-demand.ts';
import { priorityOf } from './pod-priority.ts';
import type { WaitingPods } from './waiting-pods.ts';

export const GROUP_INDEX = 'pod-group';

export interface SchedulerState {
  table: NodeTable;
  readonly waitingPods: WaitingPods;
  enqueue: (pod: Pod) => void;
  /** Enqueues a pod, by key. */
  retry: (key: string | undefined) => void;
  /** Enqueues all waiting pods that may fit now. */
  wake: () => void;
}

export const needsNode = (pod: Pod): boolean =>
  isActive(pod) && !pod.spec.nodeName && (pod.spec.schedulingGates ?? []).length === 0;

const follow = (
  state: SchedulerState,
  { informers, caches, enqueue }: SourceContext,
  readsGroups: boolean,
): Disposable => {
  const { waitingPods } = state;
  const handlers = new DisposableStack();
  state.enqueue = (pod) => {
    const priority = priorityOf(pod, caches(PriorityClass));
    enqueue(refOf(pod), { priority });
  };
  state.retry = (key) => {
    const pod = key === undefined ? undefined : caches(Pod).get(refOfKey(key));
    if (pod !== undefined) state.enqueue(pod);
  };
  const wake = (): void => {
    for (const key of waitingPods.firsts()) state.retry(key);
  };
  state.wake = wake;
  const see = (pod: Pod): void => {
    const { uid } = pod.metadata;
    if (isFinished(pod)) {
      if (state.table.remove(uid)) wake();
    } else if (pod.spec.nodeName) state.table.place(uid, pod.spec.nodeName, demandOf(pod));
    if (needsNode(pod)) state.enqueue(pod);
  };
  handlers.use(
    informers.for(Pod).addHandler({
      onAdd: see,
      onUpdate: see,
      onDelete: (pod) => {
        state.retry(waitingPods.remove(objectKey(pod.metadata)));
        if (state.table.remove(pod.metadata.uid)) wake();
      },
    }),
  );
  handlers.use(
    informers.for(Node).addHandler({
      onAdd: (node) => {
        if (state.table.putNode(node)) wake();
      },
      onUpdate: (node) => {
        if (state.table.putNode(node)) wake();
      },
      onDelete: ({ metadata }) => state.table.removeNode(metadata.name),
    }),
  );
  const wakeOnChange = { onAdd: wake, onUpdate: wake };
  handlers.use(informers.for(PersistentVolumeClaim).addHandler(wakeOnChange));
  if (readsGroups) {
    const wakeGroup = ({ metadata }: PodGroup): void => {
      const members = caches(Pod).byIndex(GROUP_INDEX, objectKey(metadata));
      const first = members.find(needsNode);
      if (first !== undefined) state.enqueue(first);
    };
    handlers.use(informers.for(PodGroup).addHandler({ onAdd: wakeGroup, onUpdate: wakeGroup }));
  }
  return handlers;
};

/** Updates the table of nodes, and enqueues every pod that needs a node, and again when it may get one. */
export const schedulerWatches = (
  state: SchedulerState,
  readsGroups: boolean,
  restart: () => void,
): Source => ({
  kinds: [Pod, Node, PersistentVolumeClaim, PriorityClass, ...(readsGroups ? [PodGroup] : [])],
  start: (context) => {
    restart();
    return follow(state, context, readsGroups);
  },
});
