import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { atVersion } from '../registry/metadata.ts';
import type { ObjectForm } from '../registry/object-form.ts';
import type { Selection } from '../registry/selection.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry, StoreEvent } from '../store/store.ts';

/** Notice of a change to a watcher. */
export type Notice =
  | { readonly type: 'ADDED' | 'MODIFIED'; readonly entry: Entry }
  /** The last state that the watcher saw, as of the revision at which it left. */
  | { readonly type: 'DELETED'; readonly entry: Entry; readonly revision: number };

/**
 * The event of a change for a watch with a selector: an object that starts to match is added, one that no longer
 * matches is deleted.
 */
export const noticeOf = (
  event: StoreEvent,
  { text, matches }: Selection,
  { read }: Pick<ObjectForm, 'read'>,
): Notice | undefined => {
  const selects = (entry: Entry): boolean => text === '' || matches(read(entry));
  if (event.type === 'DELETED') {
    const { previous, revision } = event;
    return selects(previous) ? { type: 'DELETED', entry: previous, revision } : undefined;
  }
  const { entry } = event;
  const is = selects(entry);
  if (event.type === 'ADDED') return is ? { type: 'ADDED', entry } : undefined;
  const was = selects(event.previous);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', entry };
  return was ? { type: 'DELETED', entry: event.previous, revision: event.revision } : undefined;
};

/** The object of a notice as the resource shows it. */
export const objectOf = (notice: Notice, { read }: Pick<ObjectForm, 'read'>): JsonObject => {
  const object = read(notice.entry);
  return notice.type === 'DELETED' ? atVersion(object, notice.revision) : object;
};

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The object of a bookmark, with the revision that a watch has reached. */
export const bookmarkOf = (
  resource: ServedResource,
  revision: number,
  endsInitialEvents: boolean,
): JsonObject => ({
  kind: resource.kind,
  apiVersion: apiVersionOf(resource),
  metadata: {
    resourceVersion: String(revision),
    ...(endsInitialEvents ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
  },
});
