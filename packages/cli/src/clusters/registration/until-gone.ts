import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { tell } from '../../output/tell.ts';
import { followRecords } from '../../wait/follow-records.ts';

const whyThere = ({ status }: ClusterRecord): string =>
  findCondition(status?.conditions, 'ExecutionTarget')?.message ?? 'nobody has looked after it yet';

/** Waits until clusters are gone from the inventory, and prints the finalizers that hold them on each change. */
export const untilGone = async (
  client: Client,
  names: readonly string[],
  timeoutMs: number,
): Promise<void> => {
  const reasonByName = new Map<string, string>(names.map((name) => [name, '']));
  if (reasonByName.size === 0) return;
  for await (const { name, record } of followRecords(client, new Set(names), {
    clock,
    timeoutMs,
  })) {
    if (record === undefined) {
      reasonByName.delete(name);
      process.stdout.write(`${name} is gone\n`);
      if (reasonByName.size === 0) return;
      continue;
    }
    const why = whyThere(record);
    if (reasonByName.get(name) === why || record.metadata.deletionTimestamp === undefined) continue;
    reasonByName.set(name, why);
    tell(`${name} is still there: ${why}`);
  }
  const [[name, why] = ['', '']] = reasonByName;
  const more = reasonByName.size > 1 ? ` and ${reasonByName.size - 1} more are` : ' is';
  throw new CommandError(EXIT.conflict, `${name}${more} not gone yet: ${why}`);
};
