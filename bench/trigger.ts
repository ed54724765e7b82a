import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { TriggerCase, TriggerOrder, TriggerPeer, TriggerResult } from './trigger-protocol.ts';

const CLUSTERS = 100;
const BINDINGS = 10_000;
/** A karmada-scheduler takes a hundred a second when it may, and ten by default. */
const SOME_BINDINGS = 2_000;
const FEW_BINDINGS = 200;
const MEGABYTE = 1024 ** 2;

const LIFTED = ['--kube-api-qps=100000', '--kube-api-burst=100000'];

/** For quiet cores. A binding is written three times: by the trigger, with its placement, and with its status. */
const FLOOR: TriggerResult = {
  perSecond: 500,
  longestWaitMs: 1000,
  peakBytes: 2048 * MEGABYTE,
};

const ask = async (order: TriggerOrder): Promise<TriggerResult> => {
  using child = new Child<TriggerOrder, TriggerResult>('./trigger-run.ts');
  return await child.ask(order);
};

const titleOf = ({ bindings, by }: TriggerCase): string =>
  `${bindings.toLocaleString('en')} bindings by ${by === 'policy' ? 'their policy' : 'name'}`;

interface Beside {
  readonly peer: string;
  readonly goal: number;
  readonly ours: TriggerResult;
  readonly theirs: TriggerResult;
}

const figuresOf = (about: TriggerCase, { peer, goal, ours, theirs }: Beside): readonly Figure[] => [
  figureOf(
    { what: `afresh, ${titleOf(about)}`, unit: 'bindings/s', better: 'more', peer, goal },
    { ours: [ours.perSecond], theirs: [theirs.perSecond] },
  ),
  figureOf(
    { what: `new work waits, ${titleOf(about)}`, unit: 'ms', better: 'less', peer, goal },
    { ours: [ours.longestWaitMs], theirs: [theirs.longestWaitMs] },
  ),
];

const memoryFigure = (about: TriggerCase, ours: TriggerResult): Figure =>
  figureOf(
    { what: `memory, ${titleOf(about)}`, unit: 'MB', better: 'less', peer: 'floor', goal: 1 },
    { ours: [ours.peakBytes / MEGABYTE], theirs: [FLOOR.peakBytes / MEGABYTE] },
  );

const besideFloor = async (by: TriggerCase['by']): Promise<readonly Figure[]> => {
  const about = { clusters: CLUSTERS, bindings: BINDINGS, by };
  const ours = await ask(about);
  const beside = { peer: 'floor', goal: 1, ours, theirs: FLOOR };
  return [...figuresOf(about, beside), memoryFigure(about, ours)];
};

const besideKarmada = async (
  peer: TriggerPeer,
  bindings: number,
  title: string,
): Promise<readonly Figure[]> => {
  const about = { clusters: CLUSTERS, bindings, by: 'rebalancer' } as const;
  const ours = await ask(about);
  const theirs = await ask({ ...about, peer });
  return figuresOf(about, { peer: title, goal: 10, ours, theirs });
};

/**
 * Rate at which bindings are scheduled afresh, and wait of new work meanwhile; beside Karmada where
 * PERIGEE_BENCH_KARMADA_SCHEDULER, and PERIGEE_BENCH_KARMADA_CONTROLLER_MANAGER if given, name its components.
 */
export const triggerBenchmark: Benchmark = {
  name: 'trigger',
  run: async () => {
    const figures = [...(await besideFloor('rebalancer')), ...(await besideFloor('policy'))];
    const { PERIGEE_BENCH_KARMADA_SCHEDULER: scheduler } = process.env;
    const { PERIGEE_BENCH_KARMADA_CONTROLLER_MANAGER: controllerManager } = process.env;
    if (scheduler === undefined) return figures;
    const peer = (flags: readonly string[]): TriggerPeer => ({
      scheduler,
      ...(controllerManager === undefined ? {} : { controllerManager }),
      flags,
    });
    const slow = await besideKarmada(peer([]), FEW_BINDINGS, 'Karmada, default flags');
    const fast = await besideKarmada(peer(LIFTED), SOME_BINDINGS, 'Karmada, limits lifted');
    return [...figures, ...slow, ...fast];
  },
};
