import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ObjectRef } from '@perigee/kube/client/client';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { queueStatusOf } from '@perigee/scheduling/queues/queue-state';
import { sameJson } from '@perigee/schema/same-json';
import type { Dispatcher } from './dispatcher.ts';

/** Spreads tasks that are not urgent over time: each key gets a slot of its own, one interval after the last. */
class Pace {
  readonly #gapMs: number;
  readonly #due = new Map<string, number>();
  #last = Number.NEGATIVE_INFINITY;

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** The remaining delay of a key; 0 when it is due, which starts the next interval. */
  restMs(key: string, now: number, notBefore = now): number {
    let due = this.#due.get(key);
    if (due === undefined) {
      due = Math.max(notBefore, this.#last + this.#gapMs);
      this.#last = due;
      this.#due.set(key, due);
    }
    if (due > now) return due - now;
    this.#due.delete(key);
    return 0;
  }

  forget(key: string): void {
    this.#due.delete(key);
  }
}

const FIELD_MANAGER = 'perigee-dispatcher';

/** Minimum interval between status writes of a queue. */
const EVERY_MS = 1000;
const GAP_MS = 10;

/** Writes the usage and the backlog of queues to their status. */
export class QueueStatuses {
  readonly #dispatcher: Dispatcher;
  readonly #pace = new Pace(GAP_MS);
  readonly #writtenAt = new Map<string, number>();

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  async report(
    { name }: ObjectRef,
    { cache, client, clock, signal }: ReconcileContext,
  ): Promise<ReconcileResult> {
    const queue = cache(Queue).get({ name });
    if (queue === undefined) {
      this.#writtenAt.delete(name);
      this.#pace.forget(name);
      return undefined;
    }
    const state = this.#dispatcher.state(cache);
    const status = queueStatusOf(queue, state.countsOf(name), state.usedBy(name));
    if (sameJson(status, queue.status)) return undefined;
    const now = clock.now();
    const restMs = this.#pace.restMs(name, now, (this.#writtenAt.get(name) ?? 0) + EVERY_MS);
    if (restMs > 0) return { requeueAfterMs: restMs };
    this.#writtenAt.set(name, now);
    await replaceStatus(client, Queue, queue, status, { fieldManager: FIELD_MANAGER, signal });
    return undefined;
  }
}
