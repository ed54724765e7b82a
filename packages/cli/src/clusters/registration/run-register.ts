import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { isRegistrationError } from '@perigee/registration/errors';
import {
  type Registration,
  registerCluster,
} from '@perigee/registration/operations/register-cluster';
import { type Update, updateCluster } from '@perigee/registration/operations/update-cluster';
import type { Command } from 'commander';
import { connect } from '../../connect.ts';
import { throwFailures } from '../../list/each-named.ts';
import { notify } from '../../output/notify.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { paintWord, terminalOf } from '../../output/terminal.ts';
import { type DescribedCluster, readClusters } from './read-clusters.ts';
import { readDocuments } from './read-documents.ts';

export interface RegisterOptions {
  readonly filename: readonly string[];
  readonly dryRun?: boolean;
  /** Updates registered clusters whose description differs. */
  readonly update?: boolean;
  readonly output?: string;
}

type Done = Registration | Update;

const describe = ({ cluster, outcome }: Done, dryRun: boolean): string => {
  const { name, uid } = cluster.metadata;
  if (outcome === 'updated') {
    return dryRun ? `${name} could be updated (id ${uid})\n` : `${name} updated (id ${uid})\n`;
  }
  if (outcome === 'unchanged') return `${name} is registered already (id ${uid})\n`;
  if (dryRun) return `${name} could be registered\n`;
  return `${name} ${paintWord(terminalOf(process.stdout), 'registered', 'registered')} (id ${uid})\n`;
};

const show = async (result: Done, { output, dryRun = false }: RegisterOptions) => {
  const { metadata } = result.cluster;
  if (output === 'name') return `cluster.globalscheduler.com/${metadata.name}\n`;
  return (await formatStructured(output, result.cluster)) ?? describe(result, dryRun);
};

const registerOrUpdate = async (
  client: Client,
  cluster: DescribedCluster['cluster'],
  { dryRun = false, update = false }: RegisterOptions,
): Promise<Done> => {
  const { clusterIdentifier } = await import('@perigee/host/identify-cluster');
  const identify = clusterIdentifier(realClock);
  try {
    return await registerCluster(client, cluster, { dryRun, identify });
  } catch (error) {
    if (!update || !isRegistrationError(error, 'NameTaken')) throw error;
    const { name } = cluster.metadata as { readonly name: string };
    return updateCluster(client, { name }, cluster, { dryRun });
  }
};

const registerOne = async (
  client: Client,
  { where, cluster, warnings }: DescribedCluster,
  options: RegisterOptions,
): Promise<void> => {
  for (const warning of warnings) notify(`warning: ${where}: ${warning}`);
  const result = await registerOrUpdate(client, cluster, options);
  process.stdout.write(await show(result, options));
};

/** Registers all clusters in the files. One invalid file registers none. */
export const runRegister = async (options: RegisterOptions, command: Command): Promise<void> => {
  const { clusters, failures } = readClusters(await readDocuments(options.filename));
  await throwFailures(failures);
  await using client = await connect(command);
  const errors: unknown[] = [];
  for (const cluster of clusters) {
    try {
      await registerOne(client, cluster, options);
    } catch (error) {
      errors.push(error);
    }
  }
  await throwFailures(errors);
};
