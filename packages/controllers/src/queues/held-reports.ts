import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { refOfKey } from '@perigee/kube/informer/object-key';
import { carriedDataOf, PLACEMENT_INJECTED } from '@perigee/scheduling/data/data-marks';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { isInLine, queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { type HeldWord, heldWord, sameReport } from '@perigee/scheduling/queues/held-message';
import { writeStatus } from '../placement/scheduler/write-status.ts';
import type { Dispatcher } from './dispatcher.ts';

const FIELD_MANAGER = 'perigee-dispatcher';

/** Writes the reason of held work, with an Event if it changed. */
const reportHeld = async (
  binding: ResourceBinding,
  { reason, message }: Pick<HeldWord, 'reason' | 'message'>,
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const before = findCondition(binding.status?.conditions, 'Admitted');
  const condition = { type: 'Admitted', status: 'False', reason, message } as const;
  const nowMs = clock.now();
  const next = (status: BindingStatus): BindingStatus => ({
    ...status,
    conditions: setCondition(status.conditions, condition, nowMs),
  });
  const writer = { client, options: { fieldManager: FIELD_MANAGER, signal }, note: () => {} };
  await writeStatus(ResourceBinding as BindingKind, binding, next, writer);
  if (before?.reason !== reason) events.normal(binding.spec.resource, 'WorkHeld', message);
};

/** False while the gate holds work for its data, and reports it. */
const areClaimsSettled = ({ metadata }: ResourceBinding): boolean =>
  carriedDataOf(metadata).length === 0 || metadata.annotations?.[PLACEMENT_INJECTED] === 'true';

/** Delay of the first report: work that is admitted sooner causes no write of a reason. */
const REPORT_AFTER_MS = 1000;

/** Interval between writes: at most 200 reasons per second, for any backlog. */
const REPORT_GAP_MS = 5;

/** Interval of rechecking reasons, and the batch size, whatever the length of the queues. */
const CHECK_EVERY_MS = 10_000;
const MOST_CHECKED = 100;

/**
 * Reports the reasons of held work: after a delay, and when the reason changes. They are written one after the
 * other, so that a busy server gets fewer writes, and has time for releases.
 */
export class HeldReports {
  readonly #dispatcher: Dispatcher;
  /** Work whose reason is to be checked, in this order, with the earliest time. */
  readonly #due = new Map<string, number>();
  /** The last message without numbers. */
  readonly #lastMessages = new Map<string, string>();

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** Enqueues a check of the reason of work. A clock that was ahead when the work came must not delay the others. */
  note(key: string, since: number, now: number): void {
    if (this.#due.has(key)) return;
    const dueAt = Math.max(now, Math.min(since, now) + REPORT_AFTER_MS);
    this.#due.set(key, dueAt);
    if (this.#due.size === 1) this.#dispatcher.reportAfter(dueAt - now);
  }

  forget(key: string): void {
    this.#due.delete(key);
    this.#lastMessages.delete(key);
  }

  /** Forgets the reports of an earlier term: another process may have written others since. */
  forgetAll(): void {
    this.#due.clear();
    this.#lastMessages.clear();
  }

  /** Writes the next changed reason, and requeues for the one after it. */
  async writeNext(context: ReconcileContext): Promise<ReconcileResult> {
    let checks = 0;
    for (const [key, dueAt] of this.#due) {
      const restMs = dueAt - context.clock.now();
      if (restMs > 0) return { requeueAfterMs: restMs };
      this.#due.delete(key);
      checks += 1;
      if ((await this.#write(key, context)) || checks === MOST_CHECKED) break;
    }
    return this.#due.size === 0 ? undefined : { requeueAfterMs: REPORT_GAP_MS };
  }

  /** Rechecks a batch: the reasons of work far back in a queue change without an event of its own. */
  recheck({ clock }: ReconcileContext): ReconcileResult {
    for (const [key, essence] of [...this.#lastMessages.entries().take(MOST_CHECKED)]) {
      this.#lastMessages.delete(key);
      this.#lastMessages.set(key, essence);
      this.note(key, 0, clock.now());
    }
    return { requeueAfterMs: CHECK_EVERY_MS };
  }

  /** Returns true if it wrote. */
  async #write(key: string, context: ReconcileContext): Promise<boolean> {
    const { cache, clock } = context;
    const binding = cache(ResourceBinding).get(refOfKey(key));
    const work = binding && isInLine(binding.metadata) && queuedWorkOf(binding.metadata);
    const verdict = this.#dispatcher.state(cache).verdictOf(key);
    if (!binding || !work || verdict === undefined || !areClaimsSettled(binding)) return false;
    const word = heldWord(verdict, work.queue, clock.now());
    if (word === undefined) return false;
    const before = findCondition(binding.status?.conditions, 'Admitted');
    // The reason of a preemption is kept: it is more precise than that the work waits.
    const isReported = before?.reason === 'Preempted' && word.reason.startsWith('Waiting');
    const isReason = before?.reason === word.reason;
    // The condition of an earlier dispatcher may still be right. The gate may have written another one since.
    const isStated = isReason && sameReport(before.message, word.message);
    const isOld = isReason && this.#lastMessages.get(key) === word.essence;
    this.#lastMessages.set(key, word.essence);
    if (isReported || isStated || isOld) return false;
    try {
      await reportHeld(binding, word, context).catch(ignoreNotFound);
    } catch (error) {
      this.#lastMessages.delete(key);
      this.note(key, work.since, clock.now());
      throw error;
    }
    return true;
  }
}
