import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';

const LONGEST_MS = 5000;

/** Ready for divided work: it is well, and what it has was counted. */
const isReady = ({ status }: Cluster): boolean =>
  isConditionTrue(status?.conditions, 'Ready') && status?.resourceSummary !== undefined;

const watchUntil = async (
  client: Client,
  names: readonly string[],
  isEnough: (cluster: Cluster) => boolean,
  signal: AbortSignal,
): Promise<void> => {
  const missing = new Set(names);
  if (missing.size === 0) return;
  for await (const event of client.watch(Cluster, { sendInitialEvents: true, signal })) {
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
    if (isEnough(event.object)) missing.delete(event.object.metadata.name);
    if (missing.size === 0) return;
  }
};

/**
 * Waits until the members can be given work: the first that is asked for would otherwise all go to the one
 * that was quickest. One that is not well holds nobody up for long. When no controller here watches how they
 * are, it is enough that they are there.
 */
export const untilMembersReady = async (
  client: Client,
  names: readonly string[],
  clock: Clock,
  { isWatched }: { readonly isWatched: boolean },
): Promise<void> => {
  using deadline = deadlineAfter(clock, LONGEST_MS);
  try {
    await watchUntil(client, names, isWatched ? isReady : () => true, deadline.signal);
  } catch (error) {
    if (error !== deadline.signal.reason) throw error;
  }
};
