import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ignoreNotFound } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { checkName } from '../../check-name.ts';
import { type Connection, openConnection } from '../../connect.ts';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import type { ServerChoice } from '../../open-client.ts';
import { notify } from '../../output/notify.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { followRecords } from '../../wait/follow-records.ts';
import { keepCredentials, kubeconfigWith } from './credentials-secret.ts';
import { FIELD_MANAGER } from './issued-token.ts';
import { presentRecord, writeRecord } from './join-record.ts';
import { makeAccess, tryAccess } from './member-access.ts';
import type { MemberFacts } from './member-facts.ts';
import { clusterUid, readFacts } from './read-member.ts';
import { refuseSameCluster } from './same-cluster.ts';

/** Waits until a cluster is ready, and prints the reason whenever it changes. */
const untilReady = async (
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
    notify(`${name} is not ready yet: ${why}`);
  }
  throw new CommandError(
    EXIT.failed,
    `${name} is registered, but not ready yet: ${lastReason}. "perigee get cluster ${name}" shows when it is`,
  );
};

const LOOK_MS = 250;
const ATTEMPTS = 40;

/**
 * A record has one zone. The zones of a cluster with several go into its execution target, which the control plane
 * creates from the record.
 */
const reportZones = async (
  plane: Client,
  name: string,
  zones: readonly string[],
): Promise<void> => {
  if (zones.length < 2) return;
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const body = { spec: { zones } };
    const options = { fieldManager: FIELD_MANAGER };
    const cluster = await plane
      .patch(MemberCluster, { name }, { type: 'merge', body }, options)
      .catch(ignoreNotFound);
    if (cluster !== undefined) return;
    await clock.sleep(LOOK_MS);
  }
  notify(
    `warning: ${name} has no execution target yet, so its zones (${zones.join(', ')}) are not said`,
  );
};

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
  openConnection({ kubeconfig, ...present({ context }) });

/** The facts read from the nodes, overridden by the options. */
const requestedFacts = (facts: MemberFacts, options: JoinOptions): MemberFacts => {
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
      ...present({ operator: provider === undefined ? undefined : { operator: provider } }),
      ...(region === undefined && zone === undefined
        ? {}
        : {
            region: present({ region: region || undefined, availabilityZone: zone || undefined }),
          }),
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
  checkName(name, 'a cluster');
  await using plane = await openConnection(command.optsWithGlobals<ServerChoice>());
  await using member = await openMember(options);
  const uid = await clusterUid(member.client);
  await refuseSameCluster(plane.client, name, uid);
  await presentRecord(plane.client, { name, uid });
  const facts = requestedFacts(await readFacts(member.client), options);
  const joining = { cluster: name, joinedBy: await clusterUid(plane.client) };
  const request = { name, uid, spec: facts.spec };
  if (options.dryRun) {
    await tryAccess(member.client, joining);
    const record = await writeRecord(plane.client, request, true);
    await show(record, `${name} could be joined: ${describe(record, facts)}`, options);
    return;
  }
  const credentials = await makeAccess(member.client, joining);
  await keepCredentials(plane.client, name, kubeconfigWith(name, member.config, credentials));
  const record = await writeRecord(plane.client, request, false);
  await reportZones(plane.client, name, facts.zones);
  notify(`${name} is registered: ${describe(record, facts)}`);
  if (!options.wait) {
    await show(record, `${name} joined; nobody waited until it is ready`, options);
    return;
  }
  const ready = await untilReady(plane.client, name, options.timeout);
  await show(ready, `${name} joined and ready`, options);
};
