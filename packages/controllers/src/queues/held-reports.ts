import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { refOfKey } from '@perigee/kube/informer/object-key';
import { heldWord, saysTheSame } from '@perigee/scheduling/queues/held-message';
import { isInLine, queuedWorkOf } from '@perigee/scheduling/queues/queue-marks';
import type { Dispatcher } from './dispatcher.ts';
import { reportHeld } from './report-held.ts';

/** Work that is let through sooner costs no write that says why it was held. */
const REPORT_AFTER_MS = 1000;

/** However much waits: no more than 200 reasons are written in a second. */
const REPORT_GAP_MS = 5;

/** Interval of rechecking reasons, and the batch size, whatever the length of the queues. */
const LOOK_EVERY_MS = 10_000;
const MOST_LOOKED_AT = 100;

/**
 * Says why work is held: when it has waited for a while, and when the reason is another. One is written after the
 * other, so that a server that is busy is asked for fewer, and has its time for releases.
 */
export class HeldReports {
  readonly #dispatcher: Dispatcher;
  /** Work whose reason is to be looked at, in this order, and from when on. */
  readonly #due = new Map<string, number>();
  /** The last message without numbers. */
  readonly #said = new Map<string, string>();

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** The reason of work may be another. */
  note(key: string, since: number, now: number): void {
    if (this.#due.has(key)) return;
    const dueAt = Math.max(now, since + REPORT_AFTER_MS);
    this.#due.set(key, dueAt);
    if (this.#due.size === 1) this.#dispatcher.reportAfter(dueAt - now);
  }

  forget(key: string): void {
    this.#due.delete(key);
    this.#said.delete(key);
  }

  /** Writes the next reason that is another, and comes back for the one after it. */
  async writeNext(context: ReconcileContext): Promise<ReconcileResult> {
    let looks = 0;
    for (const [key, dueAt] of this.#due) {
      const restMs = dueAt - context.clock.now();
      if (restMs > 0) return { requeueAfterMs: restMs };
      this.#due.delete(key);
      looks += 1;
      if ((await this.#write(key, context)) || looks === MOST_LOOKED_AT) break;
    }
    return this.#due.size === 0 ? undefined : { requeueAfterMs: REPORT_GAP_MS };
  }

  /** The reasons of work far back in a line change without an event of its own: some of it is looked at in turn. */
  lookAgain({ clock }: ReconcileContext): ReconcileResult {
    for (const [key, essence] of [...this.#said.entries().take(MOST_LOOKED_AT)]) {
      this.#said.delete(key);
      this.#said.set(key, essence);
      this.note(key, 0, clock.now());
    }
    return { requeueAfterMs: LOOK_EVERY_MS };
  }

  /** Returns true if it wrote. */
  async #write(key: string, context: ReconcileContext): Promise<boolean> {
    const { cache, clock } = context;
    const binding = cache(ResourceBinding).get(refOfKey(key));
    const work = binding && isInLine(binding.metadata) && queuedWorkOf(binding.metadata);
    const verdict = this.#dispatcher.state(cache).verdictOf(key);
    if (!binding || !work || verdict === undefined) return false;
    const word = heldWord(verdict, work.queue, clock.now());
    if (word === undefined || this.#said.get(key) === word.essence) return false;
    const before = findCondition(binding.status?.conditions, 'Admitted');
    // Why it went back to its queue is worth more than that it waits there.
    const isTold = before?.reason === 'Preempted' && word.reason.startsWith('Waiting');
    // The condition of an earlier dispatcher may still be right.
    const isSaid = before?.reason === word.reason && saysTheSame(before.message, word.message);
    this.#said.set(key, word.essence);
    if (isTold || isSaid) return false;
    try {
      await reportHeld(binding, word, context).catch(ignoreNotFound);
    } catch (error) {
      this.#said.delete(key);
      this.note(key, work.since, clock.now());
      throw error;
    }
    return true;
  }
}
