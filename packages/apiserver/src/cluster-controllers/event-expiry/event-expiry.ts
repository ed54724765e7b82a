import type { Client, ObjectRef } from '@perigee/kube/client/client';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { refOfKey } from '@perigee/kube/informer/object-key';
import type { Logger } from '@perigee/kube/observe/logger';
import { Event } from '@perigee/kubernetes/core/event';
import { StorageError } from '../../errors.ts';
import { keyOf, type Registry } from '../../registry/registry.ts';
import type { StoreWatch } from '../../store/store.ts';
import { ExpiryLine } from './expiry-line.ts';

export interface EventExpiryOptions {
  readonly registry: Registry;
  readonly logger: Logger;
  /** Time to live of an event after its last write. */
  readonly ttlMs?: number;
}

const HOUR_MS = 3_600_000;
const CONCURRENCY = 20;

const watchOf = ({ store }: Registry, table: string): StoreWatch | undefined => {
  try {
    return store.watch(table, { since: store.revision });
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
};

const remove = async (client: Client, ref: ObjectRef, revision: number): Promise<void> => {
  try {
    await client.delete(Event, ref, { preconditions: { resourceVersion: String(revision) } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
};

/** Deletes events that were not written for an hour. */
export const eventExpiry = ({
  registry,
  logger,
  ttlMs = HOUR_MS,
}: EventExpiryOptions): ControllerDefinition => {
  const { store, clock, cluster } = registry;
  const table = `${cluster}//events`;
  /** Revisions to delete, by key. */
  const expiredRevisions = new Map<string, number>();

  const follow = async (enqueue: SourceContext['enqueue'], signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      using watch = watchOf(registry, table);
      if (watch === undefined) return;
      using line = new ExpiryLine({
        clock,
        ttlMs,
        find: (key) => store.get(table, key),
        expire: ({ key, revision }) => {
          expiredRevisions.set(key, revision);
          enqueue(refOfKey(key));
        },
      });
      const stop = () => watch[Symbol.dispose]();
      signal.addEventListener('abort', stop, { once: true });
      line.addAll(store.range(table).entries);
      for await (const events of watch) {
        for (const event of events) if (event.type !== 'DELETED') line.add(event.entry);
      }
      signal.removeEventListener('abort', stop);
    }
  };

  const source: Source = {
    kinds: [],
    start: ({ enqueue }) => {
      const stop = new AbortController();
      follow(enqueue, stop.signal).catch((error: unknown) => {
        logger.error('cannot follow the events; they are no longer removed by age', { error });
      });
      return { [Symbol.dispose]: () => stop.abort() };
    },
  };

  const reconcile = async (ref: ObjectRef, client: Client): Promise<ReconcileResult> => {
    const key = keyOf(ref.namespace, ref.name);
    const revision = expiredRevisions.get(key);
    if (revision === undefined) return undefined;
    await remove(client, ref, revision);
    if (expiredRevisions.get(key) === revision) expiredRevisions.delete(key);
    return undefined;
  };

  return defineController({
    name: 'event-expiry',
    watches: [source],
    concurrency: CONCURRENCY,
    needsLeader: false,
    reconcile: (ref, { client }) => reconcile(ref, client),
  });
};
