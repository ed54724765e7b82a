import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { besideKarmada } from './pipeline-karmada.ts';
import type { PipelineOrder, PipelineResult } from './pipeline-protocol.ts';

/** `PERIGEE_PIPELINE=2000x3` plays 2,000 Deployments over 3 members instead. */
const orderOf = (text: string): PipelineOrder => {
  const [deployments = 500, members = 3] = text.split('x').map(Number);
  return { deployments, members };
};
const ORDER = orderOf(process.env.PERIGEE_PIPELINE ?? '500x3');

/** The aims, for quiet cores; the time grows with the number. */
const FLOOR = {
  secondsOfEach: 0.015,
  cpuMs: 15,
  writes: 40,
  bytes: 100_000,
  newcomerSeconds: 5,
};

const beside = (what: string, unit: string, ours: number, theirs: number): Figure =>
  figureOf(
    { what, unit, better: 'less', peer: 'floor', goal: 1 },
    { ours: [ours], theirs: [theirs] },
  );

const tellWrites = (writes: PipelineResult['writes']): void => {
  for (const [who, ofEach] of writes.slice(0, 25)) {
    console.error(`  ${ofEach.toFixed(2).padStart(6)} ${who}`);
  }
};

/** The whole way of Deployments, from their creation to ready pods in members, and away again. */
export const pipelineBenchmark: Benchmark = {
  name: 'pipeline',
  run: async () => {
    using child = new Child<PipelineOrder, PipelineResult>('./pipeline-run.ts');
    const result = await child.ask(ORDER);
    tellWrites(result.writes);
    const { deployments, members } = ORDER;
    const of = `${deployments.toLocaleString('en')} Deployments of 3 replicas over ${members} members`;
    const seconds = FLOOR.secondsOfEach * deployments;
    return [
      beside(`${of}, until ready`, 's', result.readySeconds, seconds),
      beside('the same, deleted until gone', 's', result.goneSeconds, seconds / 2),
      beside('for each', 'ms CPU', result.cpuMsOfEach, FLOOR.cpuMs),
      beside('for each', 'writes', result.writesOfEach, FLOOR.writes),
      beside('for each', 'bytes', result.bytesOfEach ?? Number.NaN, FLOOR.bytes),
      beside(
        'one of another namespace meanwhile',
        's',
        result.newcomerSeconds,
        FLOOR.newcomerSeconds,
      ),
      ...(await besideKarmada(ORDER, result, tellWrites)),
    ];
  },
};
