import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod } from '@perigee/kubernetes/core/pod';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { isFinished } from '../pods/pod-state.ts';
import { claimsProblem } from './claims-problem.ts';
import { keeperFrom, keptFor } from './keeper.ts';
import { priorityOf, schedulingOrder } from './pod-priority.ts';
import { GROUP_INDEX, needsNode } from './scheduler-watches.ts';
import { assign, refuse, type World } from './world.ts';

const settleAll = async (outcomes: readonly Promise<void>[]): Promise<void> => {
  const results = await Promise.allSettled(outcomes);
  const rejection = results.find(({ status }) => status === 'rejected');
  if (rejection?.status === 'rejected') throw rejection.reason;
};

/** Assigns nodes to enough pods of a group, or to none. */
export const scheduleGroup = async (
  world: World,
  pod: Pod,
  groupName: string,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { cache, clock } = context;
  const { namespace = '' } = pod.metadata;
  const group = cache(PodGroup).get({ namespace, name: groupName });
  const key = objectKey({ namespace, name: groupName });
  const ofClass = `group ${key}`;
  if (group === undefined) {
    const message = `pod group "${groupName}" not found`;
    await refuse(world, { pod, message }, ofClass, context);
    return undefined;
  }
  const members = cache(Pod).byIndex(GROUP_INDEX, key);
  const order = schedulingOrder(cache(PriorityClass));
  const able = members.filter(
    (member) => claimsProblem(member, cache(PersistentVolumeClaim)) === undefined,
  );
  const priority = priorityOf(pod, cache(PriorityClass));
  const pendingPods = able.filter(
    (member) => needsNode(member) && !world.state.table.isPlaced(member.metadata.uid),
  );
  // A gang that lost members still holds resources: reservations of two such gangs would deadlock.
  const hasStarted = able.some((member) => Boolean(member.spec.nodeName) && !isFinished(member));
  const keeper = hasStarted ? undefined : keeperFrom(world, pendingPods, priority, context, key);
  if (keeper !== undefined) {
    const message = `room is kept for pod group ${keeper}, which waits longer`;
    await settleAll(
      pendingPods.map((member) =>
        refuse(world, { pod: member, message }, keptFor(keeper), context),
      ),
    );
    return undefined;
  }
  const { assignments, refusals, shortage } = world.placement.placeGroup(group, able, order);
  const hasKept = world.keptRoom.keeps(key);
  const recheckMs =
    shortage &&
    world.keptRoom.wait(
      key,
      { pod: pod.metadata.uid, priority, lacks: shortage.resources },
      clock.monotonic(),
      () => world.lasting.fits(group, able, context),
    );
  const letsGo = hasKept && !world.keptRoom.keeps(key);
  if ((shortage === undefined && world.keptRoom.end(key)) || letsGo) world.state.wake();
  await settleAll([
    ...assignments.map((assignment) => assign(world, assignment, context)),
    ...refusals.map((refusal) => refuse(world, refusal, ofClass, context)),
  ]);
  return recheckMs === undefined ? undefined : { requeueAfterMs: recheckMs };
};
