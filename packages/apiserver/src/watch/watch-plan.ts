import { type FieldError, forbidden, notSupported } from '@perigee/schema/errors';
import { formOf } from '../registry/object-form.ts';
import { prefixOf, type Registry, tableOf } from '../registry/registry.ts';
import { type Selection, type Selectors, selectionOf } from '../registry/selection.ts';
import { atRevision, checkReached, parseVersion } from '../registry/versions.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';
import type { Entry, StoreWatch } from '../store/store.ts';

export interface WatchRequest extends Selectors {
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

/** A watch that is open, and what it begins with. */
export interface OpenWatch {
  readonly selection: Selection;
  /** The present objects, when the watch begins with the state rather than with a change. */
  readonly initial: readonly Entry[];
  /** The revision of the initial objects, if the client wants a bookmark at their end. */
  readonly initialEndsAt: number | undefined;
  readonly changes: StoreWatch;
  /** Calls when the form of objects changes: the watch has to end. */
  readonly whenChanged: (stop: () => void) => Disposable;
  /** Set if entries need a conversion before they can be read. */
  readonly prepare?: (entries: readonly Entry[]) => Promise<void>;
}

const NOT_OLDER = 'NotOlderThan';

const checkOptions = ({ sendInitialEvents, resourceVersionMatch: match = '' }: WatchRequest) => {
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== NOT_OLDER) {
    errors.push(forbidden(field, `sendInitialEvents requires setting ${field} to ${NOT_OLDER}`));
  }
  if (match !== '' && sendInitialEvents === undefined) {
    errors.push(
      forbidden(field, `${field} is forbidden for watch unless sendInitialEvents is provided`),
    );
  }
  if (match !== '' && match !== NOT_OLDER) errors.push(notSupported(field, match, [NOT_OLDER]));
  if (errors.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  }
};

/**
 * Opens a watch. Nothing can happen between the state that it begins with and the changes that follow.
 * Throws when the request makes no sense or the revision cannot be served.
 */
export const openWatch = (
  registry: Registry,
  resource: ServedResource,
  request: WatchRequest,
): OpenWatch => {
  checkOptions(request);
  const { store } = registry;
  const selection = selectionOf(resource, request);
  const { versions } = formOf(resource);
  const form = {
    whenChanged: (stop: () => void) => registry.resources.whenChanged(resource, stop),
    ...(versions === undefined
      ? {}
      : { prepare: (entries: readonly Entry[]) => versions.convert(entries) }),
  };
  const version = parseVersion(request.resourceVersion) ?? 0;
  checkReached(store, version);
  const table = tableOf(registry, resource);
  const prefix = prefixOf(request.namespace);
  const within = prefix === undefined ? {} : { prefix };
  const beginsWithState = request.sendInitialEvents ?? version === 0;
  if (!beginsWithState) {
    const since = version === 0 ? store.revision : version;
    const changes = atRevision(store, since, () => store.watch(table, { ...within, since }));
    return { selection, initial: [], initialEndsAt: undefined, changes, ...form };
  }
  const { entries: initial, revision } = store.range(table, within);
  const changes = store.watch(table, { ...within, since: revision });
  const sendsEnd = request.sendInitialEvents === true && request.allowWatchBookmarks === true;
  const initialEndsAt = sendsEnd ? revision : undefined;
  return { selection, initial, initialEndsAt, changes, ...form };
};
