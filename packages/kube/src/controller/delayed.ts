import type { Source } from './source.ts';

/** The same source, heard a little later, so that much that happens at about the same time is looked at once. */
export const delayed = (source: Source, delayMs: number): Source => ({
  kinds: source.kinds,
  start: (context) =>
    source.start({
      ...context,
      enqueue: (ref, options) => context.enqueue(ref, { delayMs, ...options }),
    }),
});
