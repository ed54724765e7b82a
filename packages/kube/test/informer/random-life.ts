import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import fc from 'fast-check';
import { ApiError, ConnectionError, isAlreadyExists, isNotFound } from '../../src/errors.ts';
import type { MemoryClient } from '../support/memory-client.ts';
import type { MemoryCluster } from '../support/memory-cluster.ts';
import { at, thing } from './thing.ts';

/** A change that someone makes to the objects of a kind. */
export type Write =
  | {
      readonly write: 'put';
      readonly name: string;
      readonly namespace: string;
      readonly app: string;
      readonly size: number;
    }
  | {
      readonly write: 'delete' | 'recreate';
      readonly name: string;
      readonly namespace: string;
    };

const place = {
  name: fc.constantFrom('x', 'y', 'z'),
  namespace: fc.constantFrom('a', 'b'),
};

export const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      write: fc.constant('put' as const),
      ...place,
      app: fc.constantFrom('one', 'two'),
      size: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      write: fc.constantFrom('delete' as const, 'recreate' as const),
      ...place,
    }),
  },
);

const ignore =
  (...kinds: readonly ((error: unknown) => boolean)[]) =>
  (error: unknown): void => {
    if (!kinds.some((isExpected) => isExpected(error))) throw error;
  };

export const doWrite = async (
  client: MemoryClient,
  kind: ResourceKind,
  write: Write,
): Promise<void> => {
  const ref = at(write.name, write.namespace);
  if (write.write === 'put') {
    const { app, size, namespace } = write;
    const body = { metadata: { labels: { app } }, spec: { size } };
    await client
      .create(kind, thing(write.name, { namespace, size, labels: { app } }))
      .catch(ignore(isAlreadyExists));
    await client.patch(kind, ref, { type: 'merge', body });
    return;
  }
  const old = await client.get(kind, ref).catch(ignore(isNotFound));
  await client.delete(kind, ref).catch(ignore(isNotFound));
  if (write.write === 'recreate' && old) {
    const { labels = {} } = old.metadata;
    await client.create(kind, thing(write.name, { namespace: write.namespace, labels }));
  }
};

/** Something that happens to the watches that are open, or to the server's memory of changes. */
export const WATCH_FAULTS = {
  reset: (cluster) => {
    for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  },
  'internal error': (cluster) => {
    const error = new ApiError({ code: 500, reason: 'InternalError' });
    for (const watch of cluster.watches) watch.fail(error);
  },
  gone: (cluster) => {
    const error = new ApiError({ code: 410, reason: 'Expired' });
    for (const watch of cluster.watches) watch.fail(error);
  },
  end: (cluster) => {
    for (const watch of cluster.watches) watch.end();
  },
  stall: (cluster) => {
    for (const watch of cluster.watches) watch.stall();
  },
  repeat: (cluster) => {
    for (const watch of cluster.watches) watch.repeat();
  },
  'repeat something stale': (cluster) => {
    for (const watch of cluster.watches) watch.repeat(2);
  },
  bookmark: (cluster) => cluster.sendBookmarks(),
  compact: (cluster) => cluster.compact(),
} as const satisfies { readonly [fault: string]: (cluster: MemoryCluster) => void };

export type WatchFault = keyof typeof WATCH_FAULTS;

export const anyWatchFault: fc.Arbitrary<WatchFault> = fc.constantFrom(
  ...(Object.keys(WATCH_FAULTS) as WatchFault[]),
);
