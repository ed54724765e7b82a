import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { setCondition } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { preemptPatch } from '@perigee/scheduling/queues/preempt-work';
import { standingInQueue } from '@perigee/scheduling/queues/work-of-binding';
import { writeStatus } from '../placement/scheduler/write-status.ts';
import type { Dispatcher } from './dispatcher.ts';

const FIELD_MANAGER = 'perigee-dispatcher';

/** Minimum interval between searches for reclaimable work; each scans all queues. */
const CHECK_EVERY_MS = 1000;

/** The budget: the maximum number of preemptions per minute, and for one workload. */
const MOST_IN_A_MINUTE = 60;
const MOST_FOR_ONE = 20;

/** Returns running work to its queue, when other work deserves the room. */
export class Preemption {
  readonly #dispatcher: Dispatcher;
  /** The messages of chosen victims, until they are preempted. */
  readonly #victims = new Map<string, string>();
  #budget = MOST_IN_A_MINUTE;
  #filledAt: number | undefined;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** Chooses victims within the budget. */
  check({ cache, clock }: ReconcileContext): ReconcileResult {
    const now = clock.now();
    this.#refill(now);
    const state = this.#dispatcher.state(cache);
    while (this.#budget >= 1) {
      const most = Math.min(MOST_FOR_ONE, Math.floor(this.#budget));
      const reclaim = state.reclaim(most, now);
      if (reclaim === undefined) break;
      const { item, victims } = reclaim;
      for (const { key } of victims) {
        this.#victims.set(key, `its room is taken back for ${item.key} in the queue ${item.queue}`);
        this.#dispatcher.recheck(key);
      }
      this.#budget -= victims.length;
    }
    return { requeueAfterMs: CHECK_EVERY_MS };
  }

  /** Forgets a victim: it is gone, or waits already. Another run of it is not chosen. */
  forget(key: string): void {
    this.#victims.delete(key);
  }

  /** Forgets the victims of an earlier term: much may have changed since. */
  forgetAll(): void {
    this.#victims.clear();
  }

  /** Preempts work if it was chosen and still runs: finished work frees its room by itself, and would run again. */
  async take(binding: ResourceBinding, ref: ObjectRef, context: ReconcileContext): Promise<void> {
    const key = objectKey(ref);
    const message = this.#victims.get(key);
    if (message === undefined) return;
    if (standingInQueue(binding)?.kind !== 'running') {
      this.#victims.delete(key);
      return;
    }
    const { client, clock, events, signal } = context;
    const options = { fieldManager: FIELD_MANAGER, signal };
    const patch = { type: 'merge', body: preemptPatch(binding, message) } as const;
    const updatedBinding = await client.patch(ResourceBinding, ref, patch, options);
    this.#victims.delete(key);
    const condition = { type: 'Admitted', status: 'False', reason: 'Preempted', message } as const;
    const nowMs = clock.now();
    const next = (status: BindingStatus): BindingStatus => ({
      ...status,
      conditions: setCondition(status.conditions, condition, nowMs),
    });
    const writer = { client, options, note: () => {} };
    await writeStatus(ResourceBinding as BindingKind, updatedBinding, next, writer);
    events.normal(binding.spec.resource, 'WorkPreempted', message);
  }

  #refill(now: number): void {
    const passedMs = now - (this.#filledAt ?? now);
    this.#filledAt = now;
    const more = (passedMs / 60_000) * MOST_IN_A_MINUTE;
    this.#budget = Math.min(MOST_IN_A_MINUTE, this.#budget + more);
  }
}
