import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { TriggerOrder, TriggerPeer, TriggerResult } from './trigger-protocol.ts';

const CLUSTERS = 100;
const BINDINGS = 10_000;
/** A karmada-scheduler takes a hundred a second when it may, and ten by default. */
const SOME_BINDINGS = 2_000;
const FEW_BINDINGS = 200;
const MEGABYTE = 1024 ** 2;

const LIFTED = ['--kube-api-qps=100000', '--kube-api-burst=100000'];

/** A binding is written three times: it is told, placed, and its status says so. */
const FLOORS = { perSecond: 500, longestWaitMs: 1000, peakMegabytes: 2048 };

const ask = async (order: TriggerOrder): Promise<TriggerResult> => {
  using child = new Child<TriggerOrder, TriggerResult>('./trigger-run.ts');
  return await child.ask(order);
};

const titleOf = (bindings: number): string => `${bindings.toLocaleString('en')} bindings`;

const rateFigure = (bindings: number, peer: string, goal: number, [ours, theirs]: Pair): Figure =>
  figureOf(
    {
      what: `scheduled afresh, ${titleOf(bindings)}`,
      unit: 'bindings/s',
      better: 'more',
      peer,
      goal,
    },
    { ours: [ours], theirs: [theirs] },
  );

const waitFigure = (bindings: number, peer: string, goal: number, [ours, theirs]: Pair): Figure =>
  figureOf(
    {
      what: `longest wait of new work, ${titleOf(bindings)}`,
      unit: 'ms',
      better: 'less',
      peer,
      goal,
    },
    { ours: [ours], theirs: [theirs] },
  );

type Pair = readonly [ours: number, theirs: number];

const besideFloors = async (): Promise<readonly Figure[]> => {
  const { perSecond, longestWaitMs, peakBytes } = await ask({
    clusters: CLUSTERS,
    bindings: BINDINGS,
  });
  const memory = { what: `most memory, ${titleOf(BINDINGS)}`, unit: 'MB', better: 'less' } as const;
  return [
    rateFigure(BINDINGS, 'floor', 1, [perSecond, FLOORS.perSecond]),
    waitFigure(BINDINGS, 'floor', 1, [longestWaitMs, FLOORS.longestWaitMs]),
    figureOf(
      { ...memory, peer: 'floor', goal: 1 },
      { ours: [peakBytes / MEGABYTE], theirs: [FLOORS.peakMegabytes] },
    ),
  ];
};

const besidePeer = async (peer: TriggerPeer, bindings: number, title: string) => {
  const about = { clusters: CLUSTERS, bindings };
  const [ours, theirs] = [await ask(about), await ask({ ...about, peer })];
  return [
    rateFigure(bindings, title, 10, [ours.perSecond, theirs.perSecond]),
    waitFigure(bindings, title, 10, [ours.longestWaitMs, theirs.longestWaitMs]),
  ];
};

/**
 * How fast a WorkloadRebalancer has many bindings scheduled afresh, and how long new work waits meanwhile; beside
 * Karmada where PERIGEE_BENCH_KARMADA_SCHEDULER, and PERIGEE_BENCH_KARMADA_CONTROLLER_MANAGER if given, name its
 * components.
 */
export const triggerBenchmark: Benchmark = {
  name: 'trigger',
  run: async () => {
    const figures = [...(await besideFloors())];
    const { PERIGEE_BENCH_KARMADA_SCHEDULER: scheduler } = process.env;
    const { PERIGEE_BENCH_KARMADA_CONTROLLER_MANAGER: controllerManager } = process.env;
    if (scheduler === undefined) return figures;
    const binaries = {
      scheduler,
      ...(controllerManager === undefined ? {} : { controllerManager }),
    };
    const peer = (flags: readonly string[]): TriggerPeer => ({ ...binaries, flags });
    figures.push(
      ...(await besidePeer(peer([]), FEW_BINDINGS, 'Karmada, default flags')),
      ...(await besidePeer(peer(LIFTED), SOME_BINDINGS, 'Karmada, limits lifted')),
    );
    return figures;
  },
};
