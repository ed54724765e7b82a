import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Binding } from '../placement/binding/binding.ts';
import { isInLine, queuedWorkOf } from '../placement/binding/queue-marks.ts';
import { dispatchSnapshot, familyAmong } from '../queues/dispatch-snapshot.ts';
import type { DispatchState } from '../queues/dispatch-state.ts';
import { heldWord } from '../queues/held-message.ts';
import { RESERVE_AFTER_MS } from '../queues/overdue.ts';
import { queueWorld } from '../queues/queue-world.ts';
import { releasePatch } from '../queues/release-work.ts';
import { totalRoom } from '../queues/total-room.ts';
import { workFacts } from '../queues/work-facts.ts';
import { applyPatch } from './merge.ts';
import type { PlanState } from './plan-state.ts';

/** Time alone can release work, too, as reservations for overdue work begin and end. */
const CHECK_EVERY_MS = 30_000;
const LOOK_FOR_MS = 2 * RESERVE_AFTER_MS + CHECK_EVERY_MS;

/** Plays the dispatcher. Its state is built once work is queued. */
export class PlannedQueues {
  readonly #state: PlanState;
  #dispatch: DispatchState | undefined;
  #inLine: Set<string> | undefined;
  #version = 0;

  constructor(state: PlanState) {
    this.#state = state;
  }

  follow(key: string, now: Binding | undefined, before: Binding | undefined): void {
    const isQueued = [now, before].some((one) => one && queuedWorkOf(one.metadata) !== undefined);
    if (!isQueued) return;
    this.#state.due.dispatch = true;
    if (now !== undefined && isInLine(now.metadata)) this.#waitingKeys.add(key);
    else this.#waitingKeys.delete(key);
    if (this.#dispatch === undefined) return;
    const work = now && queuedWorkOf(now.metadata);
    if (now === undefined || work === undefined) this.#dispatch.removeBinding(key);
    else {
      const binding = now as ResourceBinding;
      const facts = workFacts(binding, work, { ...this.#world, queues: this.#family });
      this.#dispatch.setBinding(key, binding, facts, this.#state.nowMs);
    }
  }

  /** Clusters have reported their free room. */
  noteReports(clusters: Iterable<string>): void {
    for (const cluster of clusters) {
      this.#dispatch?.noteReport(cluster, this.#state.nowMs);
      this.#dispatch?.roomFreed(cluster);
    }
  }

  /** Releases work, and records the reasons of the rest. */
  step(): void {
    const state = this.#state;
    if (this.#waitingKeys.size === 0) return;
    if (this.#version !== state.queueVersion) this.#dispatch = undefined;
    this.#version = state.queueVersion;
    this.#dispatch ??= this.#read();
    this.#dispatch.setTotal(totalRoom([...state.clusters.values()]));
    this.#dispatch.recheckAll();
    for (const { key, reservation } of this.#dispatch.choose(state.nowMs)) {
      const binding = state.bindings.get(key);
      if (binding === undefined) continue;
      state.write(key, applyPatch(binding, releasePatch(binding as ResourceBinding, reservation)));
    }
    if (this.#waitingKeys.size > 0 && state.nowMs < state.turnMs + LOOK_FOR_MS) {
      const recheck = () => {
        state.due.dispatch = true;
      };
      state.timeline.at(state.nowMs + CHECK_EVERY_MS, recheck, 'queues');
    }
    state.verdicts.clear();
    for (const key of this.#waitingKeys) {
      const queue = queuedWorkOf(state.bindings.get(key)?.metadata ?? {})?.queue ?? '';
      const verdict = this.#dispatch.verdictOf(key);
      if (verdict !== undefined) state.verdicts.set(key, verdict);
      const word = verdict && heldWord(verdict, queue, state.nowMs);
      if (word !== undefined && state.touchedBindings.has(key))
        state.report(key, word.reason, word.text);
    }
  }

  get #waitingKeys(): Set<string> {
    this.#inLine ??= new Set(
      [...this.#state.bindings].flatMap(([key, { metadata }]) => (isInLine(metadata) ? [key] : [])),
    );
    return this.#inLine;
  }

  get #family() {
    return familyAmong([...this.#state.queues.values()]);
  }

  get #world() {
    const { room, namespaces, priorityClasses } = this.#state;
    return queueWorld(room.all, [...namespaces.values()], [...priorityClasses.values()]);
  }

  #read(): DispatchState {
    const { bindings, queues, clusters, nowMs } = this.#state;
    return dispatchSnapshot({
      ...this.#world,
      feasibility: (...question) => this.#world.feasibility(...question),
      bindingOf: (key) => bindings.get(key) as ResourceBinding | undefined,
      queues: [...queues.values()],
      bindings: [...bindings.values()].filter(
        (one): one is ResourceBinding => queuedWorkOf(one.metadata) !== undefined,
      ),
      clusters: [...clusters.values()],
      now: nowMs,
    });
  }
}
