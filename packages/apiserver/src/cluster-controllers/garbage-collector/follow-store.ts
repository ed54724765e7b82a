import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { StorageError } from '../../errors.ts';
import type { Registry } from '../../registry/registry.ts';
import type { StoreWatch, TableEvent } from '../../store/store.ts';
import { departureOf, mayMatter, ownedObject } from './owned-object.ts';
import type { Ownership } from './ownership.ts';

/** Number of objects per turn of the event loop. */
const SLICE = 100;

/** Events are left out: they have no dependents, and expire by age. */
const EVENTS = '/events';
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

const apply = (ownership: Ownership, event: TableEvent, cluster: string): void => {
  const { table } = event;
  if (table === `${cluster}/${EVENTS}`) return;
  if (event.type === 'DELETED') ownership.remove(departureOf(event.previous));
  else ownership.put(ownedObject(table, event.entry));
  if (table === `${cluster}/${DEFINITIONS}`) {
    const { object } = event.type === 'DELETED' ? event.previous : event.entry;
    const spec = isJsonObject(object.spec) ? object.spec : {};
    const names: JsonObject = isJsonObject(spec.names) ? spec.names : {};
    ownership.kindChanged(String(spec.group), String(names.kind));
  }
};

/** Adds the initial objects. The watch covers later changes. */
const takeStock = async (
  { store, clock, cluster }: Registry,
  ownership: Ownership,
  signal: AbortSignal,
): Promise<void> => {
  let count = 0;
  for (const table of store.tables(`${cluster}/`)) {
    if (table === `${cluster}/${EVENTS}`) continue;
    for (const entry of store.range(table).entries) {
      if (++count % SLICE === 0) await clock.yield();
      if (signal.aborted) return;
      if (store.get(table, entry.key) === entry && mayMatter(entry)) {
        ownership.put(ownedObject(table, entry));
      }
    }
  }
};

const listen = async (
  watch: StoreWatch<TableEvent>,
  ownership: Ownership,
  cluster: string,
): Promise<void> => {
  for await (const events of watch) {
    for (const event of events) apply(ownership, event, cluster);
  }
};

export interface Followed {
  readonly ownership: Ownership;
  /** Resolves after the initial objects are in the graph: only then an absent owner is known to be absent. */
  readonly complete: Promise<void>;
}

const watchOf = (registry: Registry): StoreWatch<TableEvent> | undefined => {
  try {
    return registry.store.watchAll(`${registry.cluster}/`);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
};

/**
 * Maintains the ownership graph until the signal is aborted or the store closes. `show` gets it at once, and a new
 * one after a watch has fallen behind.
 */
export const followStore = async (
  registry: Registry,
  makeOwnership: () => Ownership,
  show: (followed: Followed) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    using watch = watchOf(registry);
    if (watch === undefined) return;
    const stop = () => watch[Symbol.dispose]();
    signal.addEventListener('abort', stop, { once: true });
    const ownership = makeOwnership();
    const complete = takeStock(registry, ownership, signal);
    show({ ownership, complete });
    await listen(watch, ownership, registry.cluster);
    await complete;
    signal.removeEventListener('abort', stop);
  }
};
