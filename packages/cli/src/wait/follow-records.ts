import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';

import { ConnectionError, isGone } from '@perigee/kube/errors';
import { isAway } from '../output/when-there.ts';

export interface FollowOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

const RETRY_MS = 1000;

/** The current state of a watched record; undefined once it is gone. */
export interface SeenRecord {
  readonly name: string;
  readonly record: ClusterRecord | undefined;
}

const pass = async function* (
  client: Client,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<SeenRecord> {
  const missingNames = new Set(names);
  let resourceVersion = '';
  for await (const { items, metadata } of listPages(client, ClusterRecord, { signal })) {
    resourceVersion = metadata.resourceVersion;
    for (const record of items) {
      const { name } = record.metadata;
      if (missingNames.delete(name)) yield { name, record };
    }
  }
  for (const name of missingNames) yield { name, record: undefined };
  for await (const event of client.watch(ClusterRecord, { resourceVersion, signal })) {
    if (event.type === 'BOOKMARK') continue;
    const { name } = event.object.metadata;
    const record = event.type === 'DELETED' ? undefined : event.object;
    if (names.has(name)) yield { name, record };
  }
};

/**
 * Yields records of the inventory, first as they are and then on each change, until the caller stops or the time is
 * up. A broken watch is restarted.
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
      if (!isGone(error) && !(error instanceof ConnectionError && isAway(error))) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
};
