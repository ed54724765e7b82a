import type { Source } from './source.ts';

/** The same source with a delay, so that many changes at about the same time cause one reconcile. */
export const delayedSource = (source: Source, delayMs: number): Source => ({
  kinds: source.kinds,
  start: (context) =>
    source.start({
      ...context,
      enqueue: (ref, options) => context.enqueue(ref, { delayMs, ...options }),
    }),
});
