import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime } from '@perigee/schema/values/time';
import { RevisionError } from '../errors.ts';
import { formOf } from '../registry/object-form.ts';
import { keyOf, type Registry, tableOf } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import type { Store, StoreEvent } from '../store/store.ts';
import { entriesOf, subjectOf } from '../store/store-event.ts';
import type { RevisionTimes } from './revision-times.ts';

/** The JSON merge patch (RFC 7396) that makes the second object of the first. Lists change as a whole. */
const mergePatchBetween = (before: JsonObject, after: JsonObject): JsonObject => {
  const patch: { [name: string]: JsonValue } = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (value === undefined || sameJson(old, value)) continue;
    patch[name] = isJsonObject(old) && isJsonObject(value) ? mergePatchBetween(old, value) : value;
  }
  return patch;
};

export interface HistoryRequest {
  readonly namespace?: string;
  readonly name: string;
  /** Whole objects, or what changed in them. */
  readonly as: 'objects' | 'patches';
}

const API_VERSION = 'history.perigee.io/v1';

interface Window {
  readonly since: number;
  readonly events: readonly StoreEvent[];
}

/** All that is kept of a table, which may have come later than what is kept of others. */
const windowOf = (store: Store, table: string): Window => {
  let since = store.compacted;
  for (;;) {
    try {
      return { since, events: store.changes(table, since) };
    } catch (error) {
      if (!(error instanceof RevisionError) || error.boundary <= since) throw error;
      since = error.boundary;
    }
  }
};

/**
 * Changes of one object, oldest first, as far as the store retains them. Deleted objects have a history, too.
 * `base` is the state before the first retained change.
 */
export const objectHistory = async (
  registry: Registry,
  resource: ServedResource,
  { namespace, name, as }: HistoryRequest,
  times: RevisionTimes | undefined,
): Promise<JsonObject> => {
  const { store } = registry;
  const table = tableOf(registry, resource);
  const key = keyOf(namespace, name);
  const { since, events: all } = windowOf(store, table);
  const { revision } = store;
  const events = all.filter((event) => subjectOf(event).key === key);
  const current = store.get(table, key);
  if (events.length === 0 && current === undefined) throw notFound(resource, name);
  const { read, versions } = formOf(resource);
  const [first] = events;
  const base = first === undefined ? current : first.type === 'ADDED' ? undefined : first.previous;
  if (versions !== undefined) {
    await versions.convert([...events.flatMap(entriesOf), ...(base === undefined ? [] : [base])]);
  }
  const when = (at: number): JsonObject => {
    const time = times?.timeOf(at);
    return {
      resourceVersion: String(at),
      ...present({ time: time === undefined ? undefined : formatTime(time) }),
    };
  };
  const whatOf = (event: StoreEvent): JsonObject => {
    if (event.type === 'DELETED') return {};
    const object = read(event.entry);
    return as === 'objects' || event.type === 'ADDED'
      ? { object }
      : { patch: mergePatchBetween(read(event.previous), object) };
  };
  return {
    kind: 'ObjectHistory',
    apiVersion: API_VERSION,
    metadata: { resourceVersion: String(revision) },
    since: when(since),
    ...present({ base: base && read(base) }),
    changes: events.map((event) => ({
      type: event.type,
      ...when(event.revision),
      ...whatOf(event),
    })),
  };
};
