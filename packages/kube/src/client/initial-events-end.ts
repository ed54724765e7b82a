import type { WatchEvent } from './client.ts';

const ANNOTATION = 'k8s.io/initial-events-end';

/** Detects the bookmark that ends the present objects of a watch opened with `sendInitialEvents`. */
export const isInitialEventsEnd = (event: WatchEvent<unknown>): boolean =>
  event.type === 'BOOKMARK' && event.object.metadata.annotations?.[ANNOTATION] === 'true';
