import type { ApiClient } from '@perigee/kube/client/api-client';
import type { CallOptions } from '@perigee/kube/client/client';
import { resourcePath, withQuery } from '@perigee/kube/client/resource-path';
import { Pod } from '@perigee/kubernetes/core/pod';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { OPERATION, operationLabel } from '@perigee/scheduling/flows/operation-run-objects';
import { present } from '@perigee/schema/present';
import type { Connection } from '../connection.ts';
import { UsageError } from '../errors.ts';

export interface LogOptions extends CallOptions {
  /** All clusters where the step ran by default. */
  readonly cluster?: string;
  readonly container?: string;
  /** Follows until the containers have ended. */
  readonly follow?: boolean;
  /** Number of last lines per container; all by default. */
  readonly tail?: number;
}

/** A log line of a step's container. */
export interface LogLine {
  readonly cluster: string;
  readonly pod: string;
  readonly container: string;
  readonly line: string;
}

const clustersOf = (operation: Operation, cluster: string | undefined): readonly string[] => {
  const all = (statusOf(operation).clusters ?? []).map(({ name }) => name);
  const clusters = cluster === undefined ? all : all.filter((name) => name === cluster);
  if (clusters.length > 0) return clusters;
  const step = `${operation.kind} ${operation.metadata.name}`;
  throw new UsageError(
    cluster === undefined || all.length === 0
      ? `${step} has not run anywhere yet`
      : `${step} did not run in ${cluster}, but in ${all.join(', ')}`,
  );
};

const containersOf = ({ spec }: Pod, container: string | undefined): readonly string[] =>
  [...(spec.initContainers ?? []), ...spec.containers]
    .map(({ name }) => name)
    .filter((name) => container === undefined || name === container);

async function* linesOf(
  { caller }: ApiClient,
  { metadata: { namespace = '', name } }: Pod,
  container: string,
  { follow = false, tail, signal }: LogOptions,
): AsyncGenerator<string> {
  const path = withQuery(`${resourcePath(Pod, { namespace, name })}/log`, {
    container,
    ...present({ follow: follow ? 'true' : undefined, tailLines: tail }),
  });
  const { body } = await caller.open({ method: 'GET', path, kind: Pod, accept: '*/*', signal });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const byAge = (a: Pod, b: Pod): number =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;

/** Logs of an operation's pods, by cluster and attempt. */
export async function* logsOf(
  operation: Operation,
  connection: Connection,
  options: LogOptions,
): AsyncGenerator<LogLine> {
  const { namespace = '' } = operation.metadata;
  const labelSelector = `${OPERATION}=${operationLabel(operation)}`;
  for (const cluster of clustersOf(operation, options.cluster)) {
    const member = await connection.member(cluster);
    const { items } = await member.list(Pod, { namespace, labelSelector });
    for (const pod of items.toSorted(byAge)) {
      for (const container of containersOf(pod, options.container)) {
        const of = { cluster, pod: pod.metadata.name, container };
        for await (const line of linesOf(member, pod, container, options)) yield { ...of, line };
      }
    }
  }
}
