import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Command } from 'commander';
import { type Connection, openConnection } from '../../connect.ts';
import type { ServerChoice } from '../../open-client.ts';
import { formatStructured } from '../../output/structured.ts';
import { tell } from '../../output/tell.ts';
import { keepCredentials, kubeconfigWith } from './credentials-secret.ts';
import { presentRecord, writeRecord } from './join-record.ts';
import { makeAccess, tryAccess } from './member-access.ts';
import type { MemberFacts } from './member-facts.ts';
import { clusterUid, readFacts } from './read-member.ts';
import { refuseSameCluster } from './same-cluster.ts';
import { tellZones } from './target-zones.ts';
import { untilReady } from './until-ready.ts';

export interface JoinOptions {
  readonly clusterKubeconfig: string;
  readonly clusterContext?: string;
  readonly clusterProvider?: string;
  readonly clusterRegion?: string;
  readonly clusterZones?: readonly string[];
  readonly dryRun?: boolean;
  readonly wait: boolean;
  /** In milliseconds. */
  readonly timeout: number;
  readonly output?: string;
}

/** Connects to the cluster that is to be joined, with the user's credentials. */
export const openMember = ({
  clusterKubeconfig: kubeconfig,
  clusterContext: context,
}: Pick<JoinOptions, 'clusterKubeconfig' | 'clusterContext'>): Promise<Connection> =>
  openConnection({ kubeconfig, ...(context === undefined ? {} : { context }) });

/** The facts read from the nodes, overridden by the options. */
const wishedFacts = (facts: MemberFacts, options: JoinOptions): MemberFacts => {
  const { clusterProvider, clusterRegion, clusterZones: zones = facts.zones } = options;
  const { operator, region: memberRegion, ...spec } = facts.spec;
  const provider = clusterProvider ?? operator?.operator;
  const region = clusterRegion ?? memberRegion?.region;
  const [zone] = zones.length === 1 ? zones : [];
  return {
    ...facts,
    zones,
    spec: {
      ...spec,
      ...(provider === undefined ? {} : { operator: { operator: provider } }),
      ...(region === undefined && zone === undefined
        ? {}
        : { region: { ...(region && { region }), ...(zone && { availabilityZone: zone }) } }),
    },
  };
};

const describe = ({ spec }: ClusterRecord, { nodes, zones }: MemberFacts): string => {
  const { region = {}, operator = {}, cpuCapacity = 0, memCapacity = 0 } = spec;
  const place = [operator.operator, region.region, zones.join(' and ')].filter(Boolean).join(', ');
  const size = `${nodes} node${nodes === 1 ? '' : 's'}, ${cpuCapacity} cores, ${memCapacity} GiB`;
  return `${size}${place === '' ? '' : `; ${place}`}`;
};

const show = async (
  record: ClusterRecord,
  text: string,
  { output }: Pick<JoinOptions, 'output'>,
): Promise<void> => {
  const { name } = record.metadata;
  const nameText = output === 'name' ? `cluster.globalscheduler.com/${name}\n` : undefined;
  process.stdout.write(nameText ?? (await formatStructured(output, record)) ?? `${text}\n`);
};

/** Joins a cluster: creates the access in the member and its record. Running it again repairs what is missing. */
export const runJoin = async (
  name: string,
  options: JoinOptions,
  command: Command,
): Promise<void> => {
  await using plane = await openConnection(command.optsWithGlobals<ServerChoice>());
  await using member = await openMember(options);
  const uid = await clusterUid(member.client);
  await refuseSameCluster(plane.client, name, uid);
  await presentRecord(plane.client, { name, uid });
  const facts = wishedFacts(await readFacts(member.client), options);
  const joining = { cluster: name, joinedBy: await clusterUid(plane.client) };
  const wish = { name, uid, spec: facts.spec };
  if (options.dryRun) {
    await tryAccess(member.client, joining);
    const record = await writeRecord(plane.client, wish, true);
    await show(record, `${name} could be joined: ${describe(record, facts)}`, options);
    return;
  }
  const credentials = await makeAccess(member.client, joining);
  await keepCredentials(plane.client, name, kubeconfigWith(name, member.config, credentials));
  const record = await writeRecord(plane.client, wish, false);
  await tellZones(plane.client, name, facts.zones);
  tell(`${name} is registered: ${describe(record, facts)}`);
  if (!options.wait) {
    await show(record, `${name} joined; nobody waited until it is ready`, options);
    return;
  }
  const ready = await untilReady(plane.client, name, options.timeout);
  await show(ready, `${name} joined and ready`, options);
};
