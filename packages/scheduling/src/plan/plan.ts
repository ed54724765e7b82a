import { EvictionPacer } from '../placement/failover/eviction-pacer.ts';
import { beginChange } from './begin-change.ts';
import { taintStep } from './cluster-steps.ts';
import { admission, claimStep, dataStep, gateStepOf, KnownData } from './data-steps.ts';
import { detectStep } from './detect-step.ts';
import { PlannedQueues } from './dispatch-step.ts';
import { evictStep, tasksStep } from './evict-steps.ts';
import { PlanState } from './plan-state.ts';
import type { Plan } from './planned-work.ts';
import { reportStep } from './report-step.ts';
import { scheduleStep } from './schedule-step.ts';
import { summarizePlan } from './summarize-plan.ts';
import type { Change, World } from './world.ts';

/** The delay from a placement until its members run it, and their clusters report it. */
const REPORT_MS = 1000;

/** The horizon of a plan: one day. */
const HORIZON_MS = 86_400_000;

/** Limit of steps: each binding settles after a few, and a loop must end. */
const MOST_STEPS_EACH = 200;

/** The delay between several changes: the first has settled by then. */
export const TURN_MS = 990_000;

const takeAll = (due: Set<string>): readonly string[] => {
  const all = [...due];
  due.clear();
  return all;
};

/** Plays the controllers, each by its own functions, until their backlogs are empty. */
class Player {
  readonly #state: PlanState;
  readonly #knownData: KnownData;
  readonly #queues: PlannedQueues;
  readonly #pacer = new EvictionPacer();
  readonly #stays = new Set<string>();
  #steps = 0;
  readonly #mostSteps: number;

  constructor(state: PlanState) {
    this.#state = state;
    this.#knownData = new KnownData(state);
    this.#queues = new PlannedQueues(state);
    this.#mostSteps = MOST_STEPS_EACH * (100 + state.bindings.size + state.templates.size);
    state.admit = admission(state, this.#knownData);
    state.onWritten = (key, now, before) => this.#queues.follow(key, now, before);
  }

  play(): void {
    const state = this.#state;
    for (;;) {
      this.#settle();
      if (state.movedKeys.size > 0) {
        state.timeline.at(state.nowMs + REPORT_MS, () => this.#report(), 'report');
      }
      const { nextMs } = state.timeline;
      if (nextMs === undefined) return;
      if (nextMs > state.startMs + HORIZON_MS) {
        state.notes.add('what happens later than a day from now is not told');
        return;
      }
      state.nowMs = Math.max(state.nowMs, nextMs);
      state.timeline.next()?.();
    }
  }

  /** All steps of one moment. */
  #settle(): void {
    const { due } = this.#state;
    const each: readonly (readonly [Set<string>, (key: string) => void])[] = [
      [due.taints, (key) => taintStep(this.#state, key)],
      [due.templates, (key) => detectStep(this.#state, key)],
      [due.claims, (key) => claimStep(this.#state, key, this.#knownData)],
      [due.data, (key) => dataStep(this.#state, key)],
      [due.gate, (key) => gateStepOf(this.#state, key, this.#knownData)],
      [due.schedule, (key) => scheduleStep(this.#state, key)],
      [due.evict, (key) => evictStep(this.#state, key, this.#pacer, this.#stays)],
      [due.tasks, (key) => tasksStep(this.#state, key)],
    ];
    for (;;) {
      const next = each.find(([keys]) => keys.size > 0);
      if (next !== undefined) {
        const [keys, step] = next;
        for (const key of takeAll(keys)) this.#count(() => step(key));
      } else if (due.dispatch) {
        due.dispatch = false;
        this.#queues.step();
      } else return;
    }
  }

  #report(): void {
    const changedClusters = reportStep(this.#state);
    this.#queues.noteReports(changedClusters);
    if (changedClusters.size === 0) return;
    for (const key of this.#stays) this.#state.due.evict.add(key);
  }

  #count(step: () => void): void {
    this.#steps += 1;
    if (this.#steps <= this.#mostSteps) step();
    else
      this.#state.notes.add('some work would not come to rest; it is told as far as it was played');
  }
}

/** The state after changes, once all backlogs are empty. The changes of a later turn happen only then. */
export const stateAfter = (world: World, ...turns: readonly (readonly Change[])[]): PlanState => {
  const state = new PlanState(world);
  const player = new Player(state);
  for (const [at, changes] of turns.entries()) {
    state.nowMs = Math.max(state.nowMs, state.startMs + at * TURN_MS);
    state.turnMs = state.nowMs;
    for (const change of changes) beginChange(state, change);
    player.play();
  }
  return state;
};

/**
 * Simulates changes with the functions of the controllers themselves: the work affected, its placement before and
 * after, and the causes. Nothing else happens meanwhile. Throws a `PlanError` if the object of a change does not exist.
 */
export const plan = (world: World, changes: readonly Change[]): Plan =>
  summarizePlan(stateAfter(world, changes), changes);
