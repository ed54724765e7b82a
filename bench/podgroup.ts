import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { PodGroupOrder, PodGroupResult } from './podgroup-protocol.ts';

const ORDER: PodGroupOrder = { workloads: 2000, podsOfEach: 10 };
const MEGABYTE = 1024 ** 2;

/** A pod is written once; that the server shares the process costs most of the time. */
const FLOOR: PodGroupResult = { perSecond: 1000, requestsPerPod: 1, peakBytes: 4096 * MEGABYTE };

const run = async (): Promise<readonly Figure[]> => {
  using child = new Child<PodGroupOrder, PodGroupResult>('./podgroup-run.ts');
  const ours = await child.ask(ORDER);
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
  ];
};

/** How fast pods get into the groups of their owners, and what that costs a server. */
export const podGroupBenchmark: Benchmark = { name: 'podgroup', run };
