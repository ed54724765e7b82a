import type { Client } from '../client/client.ts';
import type { Leadership } from './leadership.ts';

/**
 * The same API, but whatever changes something is sent only while this process is certain to be the
 * only leader, and rejects with a `NotLeaderError` otherwise. It belongs to one term: work that is left
 * over from an earlier one stays refused, even if the process leads again.
 */
export const fencedClient = (client: Client, leadership: Leadership): Client => ({
  get: (kind, ref, options) => client.get(kind, ref, options),
  list: (kind, options) => client.list(kind, options),
  watch: (kind, options) => client.watch(kind, options),
  discover: (options) => client.discover(options),
  version: (options) => client.version(options),
  create: (kind, object, options) =>
    leadership.write(
      (signal) => client.create(kind, object, { ...options, signal }),
      options?.signal,
    ),
  update: (kind, object, options) =>
    leadership.write(
      (signal) => client.update(kind, object, { ...options, signal }),
      options?.signal,
    ),
  patch: (kind, ref, patch, options) =>
    leadership.write(
      (signal) => client.patch(kind, ref, patch, { ...options, signal }),
      options?.signal,
    ),
  delete: (kind, ref, options) =>
    leadership.write((signal) => client.delete(kind, ref, { ...options, signal }), options?.signal),
  deleteCollection: (kind, options) =>
    leadership.write(
      (signal) => client.deleteCollection(kind, { ...options, signal }),
      options?.signal,
    ),
});
