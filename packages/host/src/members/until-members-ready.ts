import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';

const LONGEST_MS = 5000;

/** Divided scheduling needs a Ready condition and a resource summary. */
const isReady = ({ status }: MemberCluster): boolean =>
  isConditionTrue(status?.conditions, 'Ready') && status?.resourceSummary !== undefined;

/** Yields the name of each member as soon as it passes the check. */
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
 * Waits until every member can take work; otherwise the first workload would go whole to the member that
 * was ready first. Gives up `LONGEST_MS` after the last one became ready, so an unhealthy member does not
 * block the start. When no controller here watches their health, existing is enough.
 */
export const untilMembersReady = async (
  client: Client,
  names: readonly string[],
  clock: Clock,
  { isWatched }: { readonly isWatched: boolean },
): Promise<void> => {
  const unreadyMembers = new Set(names);
  if (unreadyMembers.size === 0) return;
  const patience = new AbortController();
  const wait = () => clock.timer(LONGEST_MS, () => patience.abort());
  let timer = wait();
  try {
    const isEnough = isWatched ? isReady : () => true;
    for await (const name of membersThatAre(isEnough, client, patience.signal)) {
      if (!unreadyMembers.delete(name)) continue;
      if (unreadyMembers.size === 0) return;
      timer[Symbol.dispose]();
      timer = wait();
    }
  } catch (error) {
    if (error !== patience.signal.reason) throw error;
  } finally {
    timer[Symbol.dispose]();
  }
};
