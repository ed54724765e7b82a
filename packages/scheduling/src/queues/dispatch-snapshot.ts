import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { queuedWorkOf } from '../placement/binding/queue-marks.ts';
import { DispatchState, type DispatchStateOptions } from './dispatch-state.ts';
import type { QueueFamily } from './queue-family.ts';
import { parentOf } from './queue-names.ts';
import { totalRoom } from './total-room.ts';
import { type WorkWorld, workFacts } from './work-facts.ts';

/** All inputs of a dispatch decision, read at one moment. */
export interface DispatchObjects extends Omit<WorkWorld, 'queues'> {
  readonly queues: readonly Queue[];
  readonly bindings: readonly ResourceBinding[];
  readonly clusters: readonly MemberCluster[];
  readonly feasibility: DispatchStateOptions['feasibility'];
  /**
   * Looks up the current binding, for callers that keep the state while bindings change. Default:
   * `bindings`.
   */
  readonly bindingOf?: DispatchStateOptions['bindingOf'];
  /** Time of the read, in epoch milliseconds. */
  readonly now: number;
}

export const keyOfBinding = ({ metadata: { namespace, name } }: ResourceBinding): string =>
  `${namespace}/${name}`;

export const familyAmong = (queues: readonly Queue[]): QueueFamily => {
  const byName = new Map(queues.map((queue) => [queue.metadata.name, queue]));
  const byParent = Map.groupBy(queues, (queue) => parentOf(queue) ?? '');
  return {
    get: (name) => byName.get(name),
    childrenOf: (name) => byParent.get(name) ?? [],
  };
};

/** Builds the state that a dispatcher would have after observing these objects. */
export const dispatchSnapshot = (objects: DispatchObjects): DispatchState => {
  const { queues, bindings, clusters, feasibility, now, ...world } = objects;
  const byKey = new Map(bindings.map((binding) => [keyOfBinding(binding), binding]));
  const { bindingOf = (key: string) => byKey.get(key) } = objects;
  const state = new DispatchState({ bindingOf, feasibility });
  const family = familyAmong(queues);
  state.setTotal(totalRoom(clusters));
  for (const queue of queues) state.setQueue(queue);
  for (const binding of bindings) {
    const work = queuedWorkOf(binding.metadata);
    if (work === undefined) continue;
    const facts = workFacts(binding, work, { ...world, queues: family });
    state.setBinding(keyOfBinding(binding), binding, facts, now);
  }
  return state;
};
