import type { Client } from '@perigee/kube/client/client';
import type { ClusterRef } from '@perigee/registration/operations/cluster-ref';
import { unregisterCluster } from '@perigee/registration/operations/unregister-cluster';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { throwFailures } from '../list/each-named.ts';
import { terminalOf } from '../output/terminal.ts';
import { fitProse } from '../output/wrap.ts';

export interface UnregisterOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** Held by the inventory until the cluster has no more work. */
const OWN_FINALIZER = 'globalscheduler.com/execution-target';

/** What has to happen before the record goes, in the words of who asked for it. */
const awaited = (finalizers: readonly string[]): string =>
  finalizers
    .map((one) => (one === OWN_FINALIZER ? 'all work has left it' : `${one} has cleaned up`))
    .join(', and ');

const unregisterOne = async (
  client: Client,
  ref: ClusterRef,
  { force = false, dryRun = false }: UnregisterOptions,
): Promise<string> => {
  const { cluster, outcome } = await unregisterCluster(client, ref, { force, dryRun });
  const { name, uid, finalizers = [] } = cluster.metadata;
  if (dryRun) return `${name} could be unregistered (id ${uid})\n`;
  if (outcome === 'removed') return `${name} unregistered (id ${uid})\n`;
  const told = `${name} is being unregistered (id ${uid}): it goes when ${awaited(finalizers)}\n`;
  return fitProse(told, terminalOf(process.stdout));
};

/** Takes the clusters out of the inventory, one after the other. */
export const runUnregister = async (
  refs: readonly ClusterRef[],
  options: UnregisterOptions,
  command: Command,
): Promise<void> => {
  await using client = await connect(command);
  const refused: unknown[] = [];
  for (const ref of refs) {
    try {
      process.stdout.write(await unregisterOne(client, ref, options));
    } catch (error) {
      refused.push(error);
    }
  }
  await throwFailures(refused);
};
