import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import { parseTime } from '@perigee/schema/values/time';
import { claimsProblem } from './claims-problem.ts';
import { keeperFrom, keptFor } from './keeper.ts';
import { KeptRoom } from './kept-room.ts';
import { LastingRoom } from './lasting-room.ts';
import { NodeTable } from './node-table.ts';
import { Placement, podClass } from './placement.ts';
import { groupKeysOf } from './pod-groups.ts';
import { priorityOf } from './pod-priority.ts';
import { scheduleGroup } from './schedule-group.ts';
import {
  GROUP_INDEX,
  needsNode,
  type SchedulerState,
  schedulerWatches,
} from './scheduler-watches.ts';
import { WaitingPods } from './waiting-pods.ts';
import { assign, keyOf, refuse, type World } from './world.ts';

export interface SchedulerOptions {
  /** True if the server has PodGroups. */
  readonly podGroups?: boolean;
  /** Pods with these scheduler names are put into groups by others; until then they get no node. */
  readonly groupedSchedulers?: readonly string[];
  /** Called after every decision with the number of checked nodes. */
  readonly onDecision?: (examined: number) => void;
}

const scheduleOne = async (
  world: World,
  pod: Pod,
  context: ReconcileContext,
): Promise<undefined> => {
  const { table } = world.state;
  const problem = claimsProblem(pod, context.cache(PersistentVolumeClaim));
  if (problem !== undefined) {
    const message = `0/${table.size} nodes are available: ${problem}.`;
    await refuse(world, { pod, message }, `volumes of ${keyOf(pod)}`, context);
    return;
  }
  const priority = priorityOf(pod, context.cache(PriorityClass));
  const keeper = keeperFrom(world, [pod], priority, context);
  if (keeper !== undefined) {
    const message = `0/${table.size} nodes are available: room is kept for pod group ${keeper}, which waits longer.`;
    await refuse(world, { pod, message }, keptFor(keeper), context);
    return;
  }
  const ofClass = podClass(pod);
  const verdict = world.placement.place(pod, ofClass);
  await (verdict.kind === 'found'
    ? assign(world, { pod, node: verdict.node }, context)
    : refuse(world, { pod, message: verdict.message }, ofClass, context));
};

/** Delay before a pod reports that it waits for its group. */
const GROUPING_MS = 5000;

const awaitGroup = async (
  world: World,
  pod: Pod,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const ageMs = context.clock.now() - parseTime(pod.metadata.creationTimestamp);
  if (ageMs < GROUPING_MS) return { requeueAfterMs: GROUPING_MS - ageMs };
  const message = `waits to be put into a pod group, as all pods of the scheduler "${pod.spec.schedulerName}"`;
  await refuse(world, { pod, message }, `no group ${keyOf(pod)}`, context);
  return undefined;
};

/**
 * Schedules pods: higher priority first, groups all or nothing, each pod on the emptiest node that suits it. A decision
 * is one synchronous step, so that many bindings may be in flight.
 */
export const schedulerController = ({
  podGroups = true,
  groupedSchedulers = [],
  onDecision,
}: SchedulerOptions = {}): ControllerDefinition => {
  const idle = () => {};
  const state: SchedulerState = {
    table: new NodeTable(),
    waitingPods: new WaitingPods(),
    enqueue: idle,
    retry: idle,
    wake: idle,
  };
  const world: World = {
    state,
    keptRoom: new KeptRoom(),
    lasting: new LastingRoom(),
    placement: new Placement(state.table),
  };
  const restart = (): void => {
    state.table = new NodeTable();
    state.waitingPods.clear();
    world.keptRoom.clear();
    world.lasting.clear();
    world.placement = new Placement(state.table);
  };
  return defineController({
    name: 'scheduler',
    for: Pod,
    // Its own source enqueues pods by priority.
    when: () => false,
    concurrency: 16,
    indexes: [index(Pod, GROUP_INDEX, groupKeysOf)],
    watches: [schedulerWatches(state, podGroups, restart)],
    reconcile: async (ref, context) => {
      const pod = context.cache(Pod).get(ref);
      if (pod === undefined || !needsNode(pod) || state.table.isPlaced(pod.metadata.uid)) {
        state.retry(state.waitingPods.remove(objectKey(ref)));
        return undefined;
      }
      const groupName = podGroups ? groupNameOf(pod) : undefined;
      if (groupName === undefined && groupedSchedulers.includes(pod.spec.schedulerName ?? '')) {
        return awaitGroup(world, pod, context);
      }
      const result =
        groupName === undefined
          ? await scheduleOne(world, pod, context)
          : await scheduleGroup(world, pod, groupName, context);
      onDecision?.(world.placement.examined);
      return result ?? undefined;
    },
  });
};
