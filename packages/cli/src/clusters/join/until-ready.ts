import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { tell } from '../../output/tell.ts';
import { followRecords } from '../../wait/follow-records.ts';

/** Waits until a cluster is ready, and prints the reason whenever it changes. */
export const untilReady = async (
  client: Client,
  name: string,
  timeoutMs: number,
): Promise<ClusterRecord> => {
  let lastReason = 'the control plane has not looked at it yet: do its controllers run?';
  for await (const { record } of followRecords(client, new Set([name]), { clock, timeoutMs })) {
    if (record === undefined) {
      throw new CommandError(EXIT.notFound, `${name} was unregistered meanwhile`);
    }
    if (record.status?.phase === 'Ready') return record;
    const why = findCondition(record.status?.conditions, 'Ready')?.message;
    if (why === undefined || why === lastReason) continue;
    lastReason = why;
    tell(`${name} is not ready yet: ${why}`);
  }
  throw new CommandError(
    EXIT.failed,
    `${name} is registered, but not ready yet: ${lastReason}. "perigee get cluster ${name}" shows when it is`,
  );
};
