import type { Clock } from './clock.ts';

/** A signal that is aborted when time is up; disposing it stops the timer and lets go of the parent. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted after the delay, with the same `TimeoutError` as `AbortSignal.timeout`, or
 * with the parent's reason when that is aborted first.
 *
 *     using deadline = deadlineAfter(clock, 5_000, signal);
 *     await client.get(kind, ref, { signal: deadline.signal });
 */
export const deadlineAfter = (
  clock: Pick<Clock, 'timer'>,
  delayMs: number,
  parent?: AbortSignal,
): Deadline => {
  const controller = new AbortController();
  const { signal } = controller;
  if (parent?.aborted) {
    controller.abort(parent.reason);
    return { signal, [Symbol.dispose]: () => {} };
  }
  const timer = clock.timer(delayMs, () => {
    release();
    controller.abort(new DOMException(`Timed out after ${delayMs} ms`, 'TimeoutError'));
  });
  const onParentAbort = () => {
    release();
    controller.abort(parent?.reason);
  };
  const release = () => {
    timer[Symbol.dispose]();
    parent?.removeEventListener('abort', onParentAbort);
  };
  parent?.addEventListener('abort', onParentAbort, { once: true });
  return { signal, [Symbol.dispose]: release };
};
