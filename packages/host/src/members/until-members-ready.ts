import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';

const LONGEST_MS = 5000;

/** Ready for divided work: it is well, and what it has was counted. */
const isReady = ({ status }: MemberCluster): boolean =>
  isConditionTrue(status?.conditions, 'Ready') && status?.resourceSummary !== undefined;

/** Tells of each member as soon as it is as it should be. */
const membersThatAre = async function* (
  isEnough: (cluster: MemberCluster) => boolean,
  client: Client,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const event of client.watch(MemberCluster, { sendInitialEvents: true, signal })) {
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
    if (isEnough(event.object)) yield event.object.metadata.name;
  }
};

/**
 * Waits until the members can be given work: the first that is asked for would otherwise all go to the one
 * that was quickest. Those that are not well hold nobody up for long after the others. When no controller
 * here watches how they are, it is enough that they are there.
 */
export const untilMembersReady = async (
  client: Client,
  names: readonly string[],
  clock: Clock,
  { isWatched }: { readonly isWatched: boolean },
): Promise<void> => {
  const missing = new Set(names);
  if (missing.size === 0) return;
  const patience = new AbortController();
  const wait = () => clock.timer(LONGEST_MS, () => patience.abort());
  let timer = wait();
  try {
    const isEnough = isWatched ? isReady : () => true;
    for await (const name of membersThatAre(isEnough, client, patience.signal)) {
      if (!missing.delete(name)) continue;
      if (missing.size === 0) return;
      timer[Symbol.dispose]();
      timer = wait();
    }
  } catch (error) {
    if (error !== patience.signal.reason) throw error;
  } finally {
    timer[Symbol.dispose]();
  }
};
