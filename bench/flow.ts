import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { FlowOrder, FlowResult } from './flow-protocol.ts';

const ORDER: FlowOrder = {
  clusters: 10,
  datasets: 100,
  flows: Number(process.env.PERIGEE_BENCH_FLOWS ?? 10_000),
  steps: 5,
  longFlow: Number(process.env.PERIGEE_BENCH_FLOW_STEPS ?? 1_000),
};
const numberText = (count: number): string => count.toLocaleString('en');

/**
 * Fluid looks every 5 s whether the step before is complete, at no particular moment. Half of the time it is half of
 * that; in one of a hundred cases nearly all of it.
 */
const POLL_MS = 5_000;

/** For quiet cores. All but the first guard against a fall: they were set after the first measurement. */
const FLOOR = {
  hopMs: 50,
  longFlowPerSecond: 10,
  stepsPerSecond: 60,
  cpuMsPerStep: 20,
  writesPerStep: 16,
  bytesPerStep: 60_000,
};

const beside = (
  peer: string,
  about: Pick<Figure, 'what' | 'unit' | 'better'> & { readonly goal?: number },
  ours: number,
  theirs: number,
): Figure => figureOf({ goal: 1, ...about, peer }, { ours: [ours], theirs: [theirs] });

/** Delay between one step and the next, and rate with many flows. */
export const flowBenchmark: Benchmark = {
  name: 'flow',
  run: async () => {
    using child = new Child<FlowOrder, FlowResult>('./flow-run.ts');
    const result = await child.ask(ORDER);
    const { hopMs } = result;
    const poll = 'a poll every 5 s';
    const hop = { unit: 'ms', better: 'less' } as const;
    return [
      beside(poll, { what: 'hop, p50', ...hop, goal: 50 }, hopMs.p50, POLL_MS / 2),
      beside(poll, { what: 'hop, p99', ...hop, goal: 50 }, hopMs.p99, POLL_MS * 0.99),
      beside('floor', { what: 'hop, p50', ...hop }, hopMs.p50, FLOOR.hopMs),
      beside(
        'floor',
        { what: `a flow of ${numberText(ORDER.longFlow)} steps`, unit: 'steps/s', better: 'more' },
        result.longFlowPerSecond,
        FLOOR.longFlowPerSecond,
      ),
      beside(
        'floor',
        {
          what: `${numberText(ORDER.flows)} flows of ${ORDER.steps} steps, durable`,
          unit: 'steps/s',
          better: 'more',
        },
        result.stepsPerSecond,
        FLOOR.stepsPerSecond,
      ),
      beside(
        'floor',
        { what: 'the same', unit: 'ms CPU/step', better: 'less' },
        result.cpuMsPerStep,
        FLOOR.cpuMsPerStep,
      ),
      beside(
        'floor',
        { what: 'the same', unit: 'durable writes/step', better: 'less' },
        result.writesPerStep,
        FLOOR.writesPerStep,
      ),
      beside(
        'floor',
        { what: 'memory, server and controllers', unit: 'bytes/step', better: 'less' },
        result.bytesPerStep,
        FLOOR.bytesPerStep,
      ),
    ];
  },
};
