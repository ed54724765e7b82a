import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import { objectKey, refOfKey } from '@perigee/kube/informer/object-key';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import { queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { textOfAmounts } from '@perigee/scheduling/queues/amounts';
import { copiesAmong } from '@perigee/scheduling/queues/copies-among';
import { DispatchState } from '@perigee/scheduling/queues/dispatch-state';
import { feasible } from '@perigee/scheduling/queues/feasible';
import type { PromisedRoom } from '@perigee/scheduling/queues/promised-room';
import { ancestorsOf } from '@perigee/scheduling/queues/queue-family';
import { isClosed } from '@perigee/scheduling/queues/queue-state';
import { roomWithout } from '@perigee/scheduling/queues/room-without';
import { totalRoom } from '@perigee/scheduling/queues/total-room';
import { workFacts } from '@perigee/scheduling/queues/work-facts';
import type { Feasibility } from '@perigee/scheduling/queues/work-item';
import type { WorkPart } from '@perigee/scheduling/queues/work-of-binding';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { KnownClusters } from '../placement/scheduler/known-clusters.ts';
import { queueFamily } from './dispatch-indexes.ts';
import { dispatchWorld } from './dispatch-world.ts';
import { CLUSTER_REF, GOES_ON, QUEUE_REF, RECLAIM, REPORT, REPORTS } from './dispatcher-refs.ts';

/** Batch size of admissions between yields to other work. */
const MOST_AT_ONCE = 500;

/** Time after a delivery until the pods exist in the member, so that later reports of the cluster count them. */
const COUNTED_AFTER_MS = 2000;

/** A cluster without counted nodes reports only changes of its sums, about every ten seconds. */
const SUMMED_AFTER_MS = 30_000;

/** Skips an invalid object; its own reconcile reports the error. */
const unlessUnreadable = (take: () => void): void => {
  try {
    take();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
};

/**
 * The state of the dispatcher beside the caches that it follows. It is built anew in every term of the
 * controller's leadership, from the objects alone.
 */
export class Dispatcher implements Source {
  readonly kinds = [];
  readonly #clusters = new KnownClusters();
  readonly #copies = new WeakMap<readonly object[], Map<string, number>>();
  /** The queues of the last reconcile. */
  readonly #versions = new Map<string, string>();
  /** The version of each cluster's last room report. */
  readonly #reports = new Map<string, string>();
  #total: string | undefined;
  #state: DispatchState | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #reserveAfterMs: number | undefined;
  #enqueue: SourceContext['enqueue'] = () => {};

  constructor(clock: Pick<Clock, 'now'>, reserveAfterMs?: number) {
    this.#clock = clock;
    this.#reserveAfterMs = reserveAfterMs;
  }

  start({ enqueue }: SourceContext): Disposable {
    this.#state = undefined;
    this.#total = undefined;
    this.#versions.clear();
    this.#reports.clear();
    this.#enqueue = enqueue;
    enqueue(REPORTS);
    enqueue(REPORT);
    enqueue(RECLAIM);
    return { [Symbol.dispose]: () => {} };
  }

  /** The state; the first call loads all objects of the caches. */
  state(cache: Caches): DispatchState {
    this.#state ??= this.#build(cache);
    return this.#state;
  }

  followBinding(ref: ObjectRef, cache: Caches): void {
    this.#follow(this.state(cache), ref, cache(ResourceBinding).get(ref), cache);
  }

  followQueue({ name }: ObjectRef, cache: Caches): void {
    const state = this.state(cache);
    const queue = cache(Queue).get({ name });
    const version =
      queue && `${queue.metadata.uid} ${queue.metadata.generation} ${isClosed(queue)}`;
    // A change of the usage alone changes no decision.
    if (this.#versions.get(name) === version) return;
    if (queue === undefined || version === undefined) {
      this.#versions.delete(name);
      state.removeQueue(name);
    } else {
      this.#versions.set(name, version);
      state.setQueue(queue);
    }
  }

  followCluster({ name }: ObjectRef, cache: Caches): void {
    const state = this.state(cache);
    const now = this.#clock.now();
    const room = cache(ClusterRoom).get({ namespace: executionNamespace(name), name });
    const isCounted = room !== undefined && now < this.#clusters.endOf(room);
    const { uid, resourceVersion } =
      (isCounted ? room : cache(MemberCluster).get({ name }))?.metadata ?? {};
    const report = `${uid} ${resourceVersion}`;
    const isNew = this.#reports.get(name) !== report;
    this.#reports.set(name, report);
    if (isNew) state.noteReport(name, now - COUNTED_AFTER_MS);
    else if (!isCounted) state.noteReport(name, now - SUMMED_AFTER_MS);
    this.#setTotal(state, cache);
    state.roomFreed(name);
  }

  /** Rechecks also work that could never fit: a new or changed cluster may accept it. */
  recheckAll(cache: Caches): void {
    const state = this.state(cache);
    this.#total = undefined;
    this.#setTotal(state, cache);
    state.recheckAll();
  }

  /** Enqueues a recheck of waiting work, with low priority. */
  recheck(key: string): void {
    this.#enqueue(refOfKey(key), { priority: -1 });
  }

  /** Enqueues the write of the next reason of waiting work. */
  reportAfter(delayMs: number): void {
    this.#enqueue(REPORT, { priority: -1, delayMs });
  }

  /** Admits the work that fits; the reconcile of each binding writes it. */
  dispatch(cache: Caches): void {
    const state = this.state(cache);
    let count = 0;
    for (const { key } of state.choose(this.#clock.now())) {
      this.#enqueue(refOfKey(key), { priority: 1 });
      count += 1;
      if (count < MOST_AT_ONCE) continue;
      this.#enqueue(GOES_ON);
      break;
    }
    this.#askForMore(state, cache);
  }

  #build(cache: Caches): DispatchState {
    const state = new DispatchState({
      bindingOf: (key) => cache(ResourceBinding).get(refOfKey(key)),
      feasibility: (binding, promised, lostClusters) =>
        this.#feasibility(binding, promised, lostClusters, cache),
      ...present({ reserveAfterMs: this.#reserveAfterMs }),
    });
    this.#setTotal(state, cache);
    for (const queue of cache(Queue).list()) unlessUnreadable(() => state.setQueue(queue));
    for (const binding of cache(ResourceBinding).list()) {
      if (queuedWorkOf(binding.metadata) === undefined) continue;
      unlessUnreadable(() => this.#follow(state, binding.metadata, binding, cache));
    }
    return state;
  }

  #follow(
    state: DispatchState,
    ref: ObjectRef,
    binding: ResourceBinding | undefined,
    cache: Caches,
  ): void {
    const key = objectKey(ref);
    const work = binding && queuedWorkOf(binding.metadata);
    if (binding === undefined || work === undefined) {
      state.removeBinding(key);
      return;
    }
    const copiesOf = (one: ResourceBinding, shape: string) => this.#copiesOf(one, shape, cache);
    const facts = workFacts(binding, work, dispatchWorld(cache, copiesOf));
    state.setBinding(key, binding, facts, this.#clock.now());
  }

  /** The number of clusters to which duplicated work goes: those that the scheduler would choose now. */
  #copiesOf(binding: ResourceBinding, shape: string, cache: Caches): number {
    const clusters = this.#facts(cache);
    const copiesByShape = this.#copies.get(clusters) ?? new Map<string, number>();
    this.#copies.set(clusters, copiesByShape);
    const before = copiesByShape.get(shape);
    if (before !== undefined) return before;
    const count = copiesAmong(binding, clusters);
    copiesByShape.set(shape, count);
    return count;
  }

  #facts(cache: Caches): readonly ClusterFacts[] {
    return this.#clusters.withRoom(cache, this.#clock.now());
  }

  #feasibility(
    { metadata, spec, status = {} }: ResourceBinding,
    promised: PromisedRoom,
    departingWork: readonly WorkPart[],
    cache: Caches,
  ): Feasibility {
    const dataPlacement = carriedPlacement(metadata);
    const world = {
      clusters: roomWithout(this.#facts(cache), departingWork),
      rules: standardRules,
    };
    return feasible({ spec, status, ...present({ dataPlacement }) }, world, promised);
  }

  #setTotal(state: DispatchState, cache: Caches): void {
    const total = totalRoom(cache(MemberCluster).list());
    const text = textOfAmounts(total);
    if (text === this.#total) return;
    this.#total = text;
    state.setTotal(total);
  }

  /** Enqueues dependents. The usage of a queue counts in its ancestors. */
  #askForMore(state: DispatchState, cache: Caches): void {
    const family = queueFamily(cache);
    for (const name of state.changes) {
      const queue = family.get(name);
      if (queue === undefined) continue;
      for (const one of [queue, ...ancestorsOf(queue, family)]) {
        this.#enqueue({ namespace: QUEUE_REF, name: one.metadata.name }, { priority: -1 });
      }
    }
    state.changes.clear();
    for (const name of state.landings) {
      this.#enqueue({ namespace: CLUSTER_REF, name }, { delayMs: SUMMED_AFTER_MS });
    }
    state.landings.clear();
  }
}
