import type { ApiClient } from '@perigee/kube/client/api-client';
import { resourcePath, withQuery } from '@perigee/kube/client/resource-path';
import { Pod } from '@perigee/kubernetes/core/pod';
import { OPERATION_KINDS, type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { OPERATION, operationLabel } from '@perigee/scheduling/flows/operation-run-objects';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { type Connection, openConnection } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerChoice } from '../open-client.ts';
import { openMember } from './open-member.ts';
import { namedStep } from './read-flows.ts';

export interface FlowLogsOptions {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly tail?: number;
}

const readOperation = async (
  client: ApiClient,
  target: string,
  namespace: string,
): Promise<Operation> => {
  const step = namedStep(target);
  const kind = OPERATION_KINDS.find((one) => one.kind === step?.kind);
  if (step === undefined || kind === undefined) {
    const message = `which step of ${target}? Write dataprocess/NAME; "perigee flow show ${target}" lists them`;
    throw new CommandError(EXIT.usage, message);
  }
  return client.get(kind, { namespace, name: step.name });
};

/** The clusters where the step ran, filtered by the option. */
const clustersOf = (operation: Operation, onlyCluster: string | undefined): readonly string[] => {
  const { kind, metadata } = operation;
  const all = (statusOf(operation).clusters ?? []).map(({ name }) => name);
  const clusters = onlyCluster === undefined ? all : all.filter((name) => name === onlyCluster);
  if (clusters.length > 0) return clusters;
  const step = `${kind}/${metadata.name}`;
  throw new CommandError(
    EXIT.notFound,
    onlyCluster === undefined || all.length === 0
      ? `${step} has not run anywhere yet; "perigee flow show ${step.toLowerCase()}" tells why`
      : `${step} did not run in ${onlyCluster}, but in ${all.join(', ')}`,
  );
};

const containersOf = ({ spec }: Pod, container: string | undefined): readonly string[] =>
  [...(spec.initContainers ?? []), ...spec.containers]
    .map(({ name }) => name)
    .filter((name) => container === undefined || name === container);

const printLog = async (
  { caller }: ApiClient,
  { metadata: { namespace = '', name } }: Pod,
  container: string,
  { follow = false, tail }: FlowLogsOptions,
): Promise<void> => {
  const path = withQuery(`${resourcePath(Pod, { namespace, name })}/log`, {
    container,
    ...present({ follow: follow ? 'true' : undefined, tailLines: tail }),
  });
  const { body } = await caller.open({ method: 'GET', path, kind: Pod, accept: '*/*' });
  for await (const chunk of body) process.stdout.write(chunk);
};

const byAge = (a: Pod, b: Pod): number =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;

/** Prints the logs of a step's pods in a cluster, by attempt. */
const printFrom = async (
  cluster: string,
  operation: Operation,
  control: Connection,
  options: FlowLogsOptions & ServerChoice,
): Promise<void> => {
  await using member = await openMember(cluster, control, options);
  const { namespace = '' } = operation.metadata;
  const labelSelector = `${OPERATION}=${operationLabel(operation)}`;
  const { items } = await member.client.list(Pod, { namespace, labelSelector });
  const logs = items
    .toSorted(byAge)
    .flatMap((pod) =>
      containersOf(pod, options.container).map((container) => ({ pod, container })),
    );
  if (logs.length === 0) {
    const what = options.container === undefined ? 'pods' : `container ${options.container}`;
    throw new CommandError(EXIT.notFound, `${cluster} has no ${what} of it any more`);
  }
  for (const { pod, container } of logs) {
    if (logs.length > 1) {
      process.stdout.write(`==> ${cluster} ${pod.metadata.name} ${container} <==\n`);
    }
    await printLog(member.client, pod, container, options);
  }
};

/** Prints the logs of a step in all its clusters. */
export const runFlowLogs = async (
  target: string,
  options: FlowLogsOptions,
  command: Command,
): Promise<void> => {
  const choice: FlowLogsOptions & ServerChoice = command.optsWithGlobals();
  await using connection = await openConnection(choice);
  const namespace = options.namespace ?? connection.namespace;
  const operation = await readOperation(connection.client, target, namespace);
  for (const cluster of clustersOf(operation, options.cluster)) {
    await printFrom(cluster, operation, connection, { ...choice, ...options });
  }
};
