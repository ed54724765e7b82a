import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { PodGroupOrder, PodGroupResult } from './podgroup-protocol.ts';

const ORDER: PodGroupOrder = { workloads: 2000, podsOfEach: 10 };
const MEGABYTE = 1024 ** 2;

/** A pod is written once; that the server shares the process costs most of the time. */
const FLOOR: PodGroupResult = { perSecond: 1000, requestsPerPod: 1, peakBytes: 4096 * MEGABYTE };

const ask = async (order: PodGroupOrder): Promise<PodGroupResult> => {
  using child = new Child<PodGroupOrder, PodGroupResult>('./podgroup-run.ts');
  return await child.ask(order);
};

const main = new URL('../packages/cli/src/main.ts', import.meta.url).pathname;
const OURS = [process.execPath, main, 'podgroups', '--listen', '0'] as const;

/** Both are processes of their own, on the same server. */
const besideVolcano = async (): Promise<readonly Figure[]> => {
  const { PERIGEE_BENCH_VOLCANO_CONTROLLERS: volcano = '' } = process.env;
  if (volcano === '') return [];
  const order = { workloads: 500, podsOfEach: 10 };
  const flags = ['--controllers=pg-controller', '--leader-elect=false'];
  const lifted = ['--kube-api-qps=100000', '--kube-api-burst=100000'];
  const theirs = await ask({ ...order, maker: [volcano, ...flags, ...lifted] });
  const ours = await ask({ ...order, maker: OURS });
  const what = 'put into groups over HTTP, 5,000 pods of 500 workloads';
  return [
    figureOf(
      { what, unit: 'pods/s', better: 'more', peer: 'volcano', goal: 1 },
      { ours: [ours.perSecond], theirs: [theirs.perSecond] },
    ),
  ];
};

const run = async (): Promise<readonly Figure[]> => {
  const ours = await ask(ORDER);
  const { workloads, podsOfEach } = ORDER;
  const of = `${(workloads * podsOfEach).toLocaleString('en')} pods of ${workloads.toLocaleString('en')} workloads`;
  const beside = { peer: 'floor', goal: 1 };
  return [
    figureOf(
      { what: `put into groups, ${of}`, unit: 'pods/s', better: 'more', ...beside },
      { ours: [ours.perSecond], theirs: [FLOOR.perSecond] },
    ),
    figureOf(
      { what: 'requests for a pod more', unit: 'requests', better: 'less', ...beside },
      { ours: [ours.requestsPerPod], theirs: [FLOOR.requestsPerPod] },
    ),
    figureOf(
      { what: `memory, ${of}`, unit: 'MB', better: 'less', ...beside },
      { ours: [ours.peakBytes / MEGABYTE], theirs: [FLOOR.peakBytes / MEGABYTE] },
    ),
    ...(await besideVolcano()),
  ];
};

/** Rate at which pods get into the groups of their owners, and its cost to a server. */
export const podGroupBenchmark: Benchmark = { name: 'podgroup', run };
