import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { splitTarget } from '../object-names.ts';
import { formatStructured } from '../output/structured-output.ts';
import { formatQueueReasons } from './format-reasons.ts';
import { reasonsInNoQueue } from './queue-reasons.ts';
import { readQueueReasons } from './read-queue-reasons.ts';
import { whatMayBeRead } from './what-may-be-read.ts';

export interface QueueWhyOptions {
  readonly namespace?: string;
  readonly output?: string;
}

/** Matches a kind as users write it, such as `jobs` or `job.batch.volcano.sh`. */
const isKindOf = (word: string, { apiVersion, kind }: ResourceBinding['spec']['resource']) => {
  const [name = '', ...group] = word.split('.');
  const isGroup = group.length === 0 || apiVersion.startsWith(`${group.join('.')}/`);
  return isGroup && [kind, `${kind}s`].some((one) => one.toLowerCase() === name);
};

const isInNoQueue = ({ metadata }: Binding): boolean => queuedWorkOf(metadata) === undefined;

const matches =
  (target: string) =>
  ({ metadata, spec: { resource } }: Binding): boolean => {
    const { kind: word, name } = splitTarget(target);
    if (name === undefined) return resource.name === target;
    const kind = word.toLowerCase();
    if (kind === 'rb' || kind === 'resourcebinding') return metadata.name === name;
    return isKindOf(kind, resource) && resource.name === name;
  };

/** Finds the binding of `job/train`, or of the only workload named `train`. */
const findWork = async (client: Client, target: string, namespace: string): Promise<Binding> => {
  const { items } = await listAll(client, ResourceBinding, { namespace });
  const candidates: readonly Binding[] = items.filter(matches(target));
  // Among kinds of the same name, the one in a queue wins.
  const [only, other] = candidates.toSorted(
    (a, b) => Number(isInNoQueue(a)) - Number(isInNoQueue(b)),
  );
  if (only === undefined) {
    const inNone = (await whatMayBeRead(client, ClusterResourceBinding)).find(matches(target));
    if (inNone !== undefined) return inNone;
    throw new CommandError(
      EXIT.notFound,
      `no policy propagates ${target} in the namespace ${namespace}, or there is no such work`,
    );
  }
  if (other !== undefined && isInNoQueue(only) === isInNoQueue(other)) {
    const names = candidates.map(
      ({ spec: { resource } }) => `${resource.kind.toLowerCase()}/${resource.name}`,
    );
    throw new CommandError(EXIT.usage, `${target} may be ${[...new Set(names)].join(' or ')}`);
  }
  return only;
};

/** Explains the current state of work in its queue. */
export const runQueueWhy = async (
  target: string,
  options: QueueWhyOptions,
  command: Command,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client, namespace: usual } = connection;
  const binding = await findWork(client, target, options.namespace ?? usual);
  const reasons = isInNoQueue(binding)
    ? reasonsInNoQueue(binding)
    : await readQueueReasons(client, binding as ResourceBinding, clock.now());
  process.stdout.write(
    (await formatStructured(options.output, reasons)) ?? formatQueueReasons(reasons, clock.now()),
  );
};
