import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import { heldWord, saysTheSame } from '@perigee/scheduling/queues/held-message';
import { queuedWorkOf } from '@perigee/scheduling/queues/queue-marks';
import type { Dispatcher } from './dispatcher.ts';
import { Pace } from './pace.ts';
import { reportHeld } from './report-held.ts';

/** Work that is let through sooner costs no write that says why it was held. */
const REPORT_AFTER_MS = 1000;

/** However much waits: no more than 200 reasons are written in a second. */
const REPORT_GAP_MS = 5;

/** How often reasons are looked at again, and how many at a time, however long the lines. */
const LOOK_EVERY_MS = 10_000;
const MOST_LOOKED_AT = 100;

/** Says why work is held: when it has waited for a while, and when the reason is another. */
export class HeldReports {
  readonly #dispatcher: Dispatcher;
  readonly #pace = new Pace(REPORT_GAP_MS);
  /** What was last said, without numbers. */
  readonly #said = new Map<string, string>();

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  async report(
    binding: ResourceBinding,
    ref: ObjectRef,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { cache, clock } = context;
    const key = objectKey(ref);
    const verdict = this.#dispatcher.state(cache).verdictOf(key);
    const work = queuedWorkOf(binding.metadata);
    if (verdict === undefined || work === undefined) return undefined;
    const now = clock.now();
    const word = heldWord(verdict, work.queue, now);
    if (word === undefined || this.#said.get(key) === word.essence) return undefined;
    const known = findCondition(binding.status?.conditions, 'Admitted');
    // Why it went back to its queue is worth more than that it waits there.
    const isTold = known?.reason === 'Preempted' && word.reason.startsWith('Waiting');
    // What an earlier dispatcher said may still hold.
    const isSaid = known?.reason === word.reason && saysTheSame(known.message, word.message);
    if (!isTold && !isSaid) {
      const restMs = this.#pace.restMs(key, now, Math.max(now, work.since + REPORT_AFTER_MS));
      if (restMs > 0) return { requeueAfterMs: restMs };
      await reportHeld(binding, word, context);
    }
    this.#said.set(key, word.essence);
    return undefined;
  }

  /** The reasons of work far back in a line change without an event of its own: some of it is looked at in turn. */
  lookAgain(): ReconcileResult {
    for (const [key, essence] of [...this.#said.entries().take(MOST_LOOKED_AT)]) {
      this.#said.delete(key);
      this.#said.set(key, essence);
      this.#dispatcher.lookAgain(key);
    }
    return { requeueAfterMs: LOOK_EVERY_MS };
  }

  forget(key: string): void {
    this.#said.delete(key);
    this.#pace.forget(key);
  }
}
