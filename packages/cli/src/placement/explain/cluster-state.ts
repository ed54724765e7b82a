import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Condition } from '@perigee/api/meta/condition';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { getCluster } from '@perigee/registration/operations/get-cluster';
import { printable } from '../../output/printable.ts';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';

/** The phase and conditions of a cluster, as its controllers report them. */
export interface ClusterState {
  readonly cluster: string;
  readonly phase: string;
  readonly conditions: readonly Condition[];
}

const phaseOf = ({ metadata, status }: ClusterRecord): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating';

/** Reads phase and conditions of the record, and of the execution target those about draining and leftovers. */
export const readClusterState = async (client: Client, name: string): Promise<ClusterState> => {
  const record = await getCluster(client, { name });
  const target = await getOrUndefined(client, MemberCluster, { name });
  const own = record.status?.conditions ?? [];
  const further = (target?.status?.conditions ?? []).filter(({ type }) =>
    ['Drained', 'Leftovers'].includes(type),
  );
  return { cluster: name, phase: phaseOf(record), conditions: [...own, ...further] };
};

/** The state for people. */
export const formatClusterState = ({ cluster, phase, conditions }: ClusterState): string => {
  const terminal = terminalOf(process.stdout);
  const lines = [
    `${cluster} is ${phase}.`,
    ...conditions.map(
      ({ type, status, reason, message }) => `${type} is ${status} (${reason}): ${message}`,
    ),
  ];
  return lines.map((line) => `${fitProse(printable(line), terminal)}\n`).join('');
};
