import type { PendingWrite } from './pending-head.ts';
import type { Entry, StoreEvent } from './store.ts';

/** The entry that an event is about: the new state, or that which was removed. */
export const subjectOf = (event: StoreEvent): Entry =>
  event.type === 'DELETED' ? event.previous : event.entry;

/** The states that an event is about. */
export const entriesOf = (event: StoreEvent): readonly Entry[] => {
  if (event.type === 'ADDED') return [event.entry];
  return event.type === 'DELETED' ? [event.previous] : [event.entry, event.previous];
};

/** The event of a write. */
export const eventOf = (
  write: Exclude<PendingWrite, { type: 'drop' }>,
  revision: number,
): StoreEvent => {
  const { previous } = write;
  if (write.type === 'remove') return { type: 'DELETED', revision, previous: write.previous };
  const { entry } = write;
  return previous === undefined
    ? { type: 'ADDED', revision, entry }
    : { type: 'MODIFIED', revision, entry, previous };
};
