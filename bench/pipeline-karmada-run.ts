import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { kubectlBinary } from '../test/clients/client-binaries.ts';
import { type KarmadaWorld, openKarmadaWorld } from '../test/data/karmada-world.ts';
import { playLoad, prepareLoad } from './pipeline-load.ts';
import type { PipelineOrder, PipelineResult } from './pipeline-protocol.ts';
import { storesOf, Writes } from './pipeline-writes.ts';
import { cpuMsOf, peakMegabytesOf } from './process-usage.ts';

const WRITES = /^(POST|PUT|PATCH|APPLY|DELETE)$/;
const COUNTER = /^apiserver_request_total\{(.*)\} (\S+)$/;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const labelIn = (labels: string, name: string): string =>
  new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';

/** Number of writes of each kind so far, from the metrics of the API server. */
const requestsByKind = async ({ run }: KarmadaWorld): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (const line of (await run('kubectl get --raw /metrics')).split('\n')) {
    const [, labels = '', value] = COUNTER.exec(line) ?? [];
    const verb = labelIn(labels, 'verb');
    if (!WRITES.test(verb) || !labelIn(labels, 'code').startsWith('2')) continue;
    const part = labelIn(labels, 'subresource');
    const kind = `${labelIn(labels, 'resource')}${part && `/${part}`}`;
    const key = `control plane ${kind} ${verb}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
};

const play = async ({ deployments, members }: PipelineOrder): Promise<PipelineResult> => {
  await using world = await openKarmadaWorld(kubectlBinary().path, {
    ...{ of: 'Kubernetes', members, nodes: 100, isDurable: true, isUnlimited: true },
  });
  const { kubeconfig, pids } = world;
  const config = await loadClusterConfig({ kubeconfig, env: {}, clock, interactive: false });
  await using client = createHttpClient(config, { clock });
  const hosts = world.members;
  const plane = {
    client,
    kubeconfig,
    members: hosts.members.flatMap(
      ({ metadata }) => hosts.server.cluster(metadata.name)?.client ?? [],
    ),
  };
  await prepareLoad(plane);
  const stop = new AbortController();
  const inMembers = new Writes();
  for (const store of storesOf(hosts)) void inMembers.follow(store, stop.signal);
  /** The server counts each of its writes by one. */
  const revision = async () =>
    Number((await client.list(Namespace, { limit: 1 })).metadata.resourceVersion);
  const cpuOfAll = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + sumOf(pids.map(cpuMsOf));
  };
  const [before, from, cpu] = [await requestsByKind(world), await revision(), cpuOfAll()];
  let costs = { cpuMsOfEach: 0, writesOfEach: 0, peakMegabytes: 0 };
  let writes: readonly (readonly [string, number])[] = [];
  const times = await playLoad(plane, deployments, async () => {
    const writeCount = (await revision()) - from + inMembers.total;
    costs = {
      cpuMsOfEach: (cpuOfAll() - cpu) / deployments,
      writesOfEach: writeCount / deployments,
      peakMegabytes: process.resourceUsage().maxRSS / 1024 + sumOf(pids.map(peakMegabytesOf)),
    };
    const requests = [...(await requestsByKind(world))].map(
      ([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const,
    );
    writes = [...requests, ...inMembers.counts].map(
      ([who, count]) => [who, count / deployments] as const,
    );
  });
  stop.abort();
  return { ...times, ...costs, writes: writes.toSorted(([, a], [, b]) => b - a) };
};

process.once('message', async (order: PipelineOrder) => {
  process.send?.(await play(order), () => process.exit(0));
});
