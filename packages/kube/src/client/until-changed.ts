import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { ConnectionError, isGone } from '../errors.ts';
import type { Client, WatchOptions } from './client.ts';

/** Resolves with the first change of the kind, and also when the watch breaks, then with the error: list again. */
const firstChange = async (
  client: Pick<Client, 'watch'>,
  kind: ResourceKind,
  options: WatchOptions & { readonly signal: AbortSignal },
): Promise<unknown> => {
  try {
    for await (const { type } of client.watch(kind, options)) {
      if (type !== 'BOOKMARK') return undefined;
    }
    return undefined;
  } catch (error) {
    const { signal } = options;
    if (signal.aborted) return undefined;
    if (!isGone(error) && !(error instanceof ConnectionError)) throw error;
    return error;
  }
};

/**
 * Resolves when an object of one of the kinds is not any more as it was at its version, and also when that is
 * unknown, then with the error of the watch that broke: list again in both cases.
 */
export const untilChanged = async (
  client: Pick<Client, 'watch'>,
  versions: ReadonlyMap<ResourceKind, string>,
  { signal, ...selection }: Pick<WatchOptions, 'namespace' | 'labelSelector' | 'signal'> = {},
): Promise<unknown> => {
  const enough = new AbortController();
  const ends = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  const changes = [...versions].map(([kind, resourceVersion]) =>
    firstChange(client, kind, { ...selection, resourceVersion, signal: ends }),
  );
  try {
    return await Promise.race(changes);
  } finally {
    enough.abort();
  }
};
