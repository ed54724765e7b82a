import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { getCluster } from '@perigee/registration/operations/get-cluster';
import {
  explainHome,
  type HomeExplanation,
} from '@perigee/scheduling/clusters/sharding/explain-home';
import { shardingOf } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { formatTable } from '../../output/table.ts';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';

/** Explains by the records the home scheduler of a cluster. */
export const explainCluster = async (client: Client, name: string): Promise<HomeExplanation> => {
  const cluster = await getCluster(client, { name });
  const [schedulers, clusters] = await Promise.all([
    listAll(client, Scheduler),
    listAll(client, ClusterRecord),
  ]);
  const schedulersByName = schedulers.items.toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  return explainHome(cluster, schedulersByName, clusters.items, shardingOf(schedulersByName));
};

const amount = (cores: number): string => cores.toFixed(1).replace(/\.0$/, '');

/** The explanation for people. */
export const formatHome = (explanation: HomeExplanation): string => {
  const { cluster, home, wish, afresh, sharding, weight, cap, candidates } = explanation;
  const terminal = terminalOf(process.stdout);
  const place = explanation.place.length === 0 ? '' : `, in ${explanation.place.join(' / ')}`;
  const state = explanation.isInUse ? '' : ' (which has not taken it over yet)';
  const lines = [
    home === undefined
      ? `${cluster} has no home scheduler.`
      : `The home of ${cluster} is ${home}${state}.`,
    `Why: ${explanation.message}.`,
    ...(wish === undefined || wish === home ? [] : [`Its record wishes for ${wish}.`]),
    ...(afresh === undefined || afresh === home
      ? []
      : [`Without a home it would go to ${afresh}.`]),
    ...(candidates.length === 0
      ? []
      : [
          `It weighs ${amount(weight)}${place}; with the sharding ${sharding}, a scheduler may have ${amount(cap)}.`,
        ]),
  ];
  const prose = lines.map((line) => fitProse(`${line}\n`, terminal)).join('');
  if (candidates.length === 0) return prose;
  const rows = candidates.map((one) => [
    one.name,
    one.phase,
    String(one.clusters),
    amount(one.weight),
    String(one.ofThePlace),
    one.hasRoom ? 'yes' : 'no',
  ]);
  const header = ['SCHEDULER', 'PHASE', 'CLUSTERS', 'WEIGHT', 'SAME PLACE', 'ROOM'];
  return `${prose}\n${formatTable([header, ...rows])}`;
};
