import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { ClusterRef } from '@perigee/registration/operations/cluster-ref';
import {
  type Unregistration,
  unregisterCluster,
} from '@perigee/registration/operations/unregister-cluster';
import type { Command } from 'commander';
import { connect } from '../../connect.ts';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { throwFailures } from '../../list/each-named.ts';
import { notify } from '../../output/notify.ts';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';
import { followRecords } from '../../wait/follow-records.ts';

/** Runs `act` for each item, at most `most` in parallel. Results are in the order of the items. */
const atOnce = async <T, R>(
  items: readonly T[],
  most: number,
  act: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> => {
  const results: PromiseSettledResult<R>[] = new Array(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      try {
        results[at] = { status: 'fulfilled', value: await act(items[at] as T) };
      } catch (reason) {
        results[at] = { status: 'rejected', reason };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
};

const whyThere = ({ status }: ClusterRecord): string =>
  findCondition(status?.conditions, 'ExecutionTarget')?.message ?? 'nobody has looked after it yet';

/** Waits until clusters are gone from the inventory, and prints the finalizers that hold them on each change. */
const untilGone = async (
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
    notify(`${name} is still there: ${why}`);
  }
  const [[name, why] = ['', '']] = reasonByName;
  const more = reasonByName.size > 1 ? ` and ${reasonByName.size - 1} more are` : ' is';
  throw new CommandError(EXIT.conflict, `${name}${more} not gone yet: ${why}`);
};

export interface UnregisterOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

/** Maximum number of parallel requests. */
const AT_ONCE = 32;

/** The inventory's own finalizer, held until the cluster has no work left. */
const OWN_FINALIZER = 'globalscheduler.com/execution-target';

const piecesText = (count: number): string =>
  count === 1 ? '1 piece of work has' : `${count} pieces of work have`;

/** The finalizers that hold the record, described for users. */
const awaited = (finalizers: readonly string[], moving: number): string =>
  finalizers
    .map((one) => {
      if (one !== OWN_FINALIZER) return `${one} has cleaned up`;
      return moving === 0 ? 'all work has left it' : `${piecesText(moving)} moved elsewhere`;
    })
    .join(', and ');

/** Describes the fate of work in a cluster that is removed with `--force`. */
const leftThere = ({ spec }: Unregistration['cluster']): string =>
  spec.type === 'virtual'
    ? 'it is virtual, and goes with everything in it'
    : 'what runs there goes on, and nobody looks after it; work that fits elsewhere is placed there as well. Should the cluster be registered again, what was left is listed';

const describe = (
  { cluster, outcome, moving }: Unregistration,
  { force = false, dryRun = false }: UnregisterOptions,
): string => {
  const { name, uid, finalizers = [] } = cluster.metadata;
  const first = moving === 0 || dryRun === false ? '' : `, after ${piecesText(moving)} moved`;
  if (dryRun) return `${name} could be unregistered (id ${uid})${first}\n`;
  if (outcome === 'removed') return `${name} unregistered (id ${uid})\n`;
  return force
    ? `${name} is being unregistered by force (id ${uid}): ${leftThere(cluster)}\n`
    : `${name} is being unregistered (id ${uid}): it goes when ${awaited(finalizers, moving)}\n`;
};

/** Unregisters clusters; a refusal does not stop the others. */
export const unregisterAll = async (
  client: Client,
  refs: readonly ClusterRef[],
  options: UnregisterOptions,
): Promise<void> => {
  const { force = false, dryRun = false, wait = false, timeout } = options;
  const results = await atOnce(refs, AT_ONCE, (ref) =>
    unregisterCluster(client, ref, { force, dryRun }),
  );
  const unregistrations = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const terminal = terminalOf(process.stdout);
  process.stdout.write(
    unregistrations.map((one) => fitProse(describe(one, options), terminal)).join(''),
  );
  if (wait && !dryRun) {
    const leaving = unregistrations.filter(({ outcome }) => outcome === 'leaving');
    const names = leaving.map(({ cluster }) => cluster.metadata.name);
    await untilGone(client, names, timeout);
  }
  await throwFailures(results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
};

export const runUnregister = async (
  refs: readonly ClusterRef[],
  options: UnregisterOptions,
  command: Command,
): Promise<void> => {
  await using client = await connect(command);
  await unregisterAll(client, refs, options);
};
