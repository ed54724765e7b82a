import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';

import { ConnectionError, isGone } from '@perigee/kube/errors';

export interface FollowOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

const RETRY_MS = 1000;

/** A record that is waited for, as it is now; nothing when it is gone. */
export interface SeenRecord {
  readonly name: string;
  readonly record: ClusterRecord | undefined;
}

const pass = async function* (
  client: Client,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<SeenRecord> {
  const missing = new Set(names);
  let resourceVersion = '';
  for await (const { items, metadata } of listPages(client, ClusterRecord, { signal })) {
    resourceVersion = metadata.resourceVersion;
    for (const record of items) {
      const { name } = record.metadata;
      if (missing.delete(name)) yield { name, record };
    }
  }
  for (const name of missing) yield { name, record: undefined };
  for await (const event of client.watch(ClusterRecord, { resourceVersion, signal })) {
    if (event.type === 'BOOKMARK') continue;
    const { name } = event.object.metadata;
    const record = event.type === 'DELETED' ? undefined : event.object;
    if (names.has(name)) yield { name, record };
  }
};

/**
 * Tells of records of the inventory, at first and whenever they change, until nobody asks any more or the
 * time is over. A watch that breaks is begun anew.
 */
export const followRecords = async function* (
  client: Client,
  names: ReadonlySet<string>,
  { clock, timeoutMs }: FollowOptions,
): AsyncGenerator<SeenRecord> {
  using deadline = deadlineAfter(clock, timeoutMs);
  const { signal } = deadline;
  while (!signal.aborted) {
    try {
      yield* pass(client, names, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!isGone(error) && !(error instanceof ConnectionError)) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
};
