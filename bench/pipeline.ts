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
/** `PERIGEE_PIPELINE_RUNS=20` plays it so often, each time in a process and a folder of its own. */
const RUNS = Number(process.env.PERIGEE_PIPELINE_RUNS ?? 1);

/** The aims, for quiet cores; the time grows with the number. */
const FLOOR = {
  secondsOfEach: 0.015,
  cpuMs: 15,
  writes: 40,
  bytes: 100_000,
  newcomerSeconds: 5,
  readMs: 100,
  /** No run takes so many times as long as half of them do. */
  slowest: 1.3,
};

const beside = (what: string, unit: string, ours: readonly number[], theirs: number): Figure =>
  figureOf(
    { what, unit, better: 'less', peer: 'floor', goal: 1 },
    { ours, theirs: ours.map(() => theirs) },
  );

/** The slowest of the runs beside their median, which tells that none of them rested. */
const besideMedian = (what: string, seconds: readonly number[]): readonly Figure[] => {
  if (seconds.length === 1) return [];
  const slowest = Math.max(...seconds);
  const { ours: half } = beside(what, 's', seconds, 0);
  const times = seconds.map((one) => one.toFixed(1)).join(' ');
  console.error(
    `  ${what}: ${times}; median ${half.toFixed(1)} s, slowest ${slowest.toFixed(1)} s`,
  );
  return [beside(`${what}, slowest by median`, '×', [slowest / half], FLOOR.slowest)];
};

type Measured = Exclude<keyof PipelineResult, 'writes'>;

const printWrites = (writes: PipelineResult['writes']): void => {
  for (const [who, ofEach] of writes.slice(0, 25)) {
    console.error(`  ${ofEach.toFixed(2).padStart(6)} ${who}`);
  }
};

/** The whole way of Deployments, from their creation to ready pods in members, and away again. */
export const pipelineBenchmark: Benchmark = {
  name: 'pipeline',
  run: async () => {
    const results: PipelineResult[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      using child = new Child<PipelineOrder, PipelineResult>('./pipeline-run.ts');
      results.push(await child.ask(ORDER));
    }
    const [result] = results;
    if (result === undefined) throw new RangeError('PERIGEE_PIPELINE_RUNS must be 1 or more');
    printWrites(result.writes);
    const all = (field: Measured): readonly number[] =>
      results.map((one) => one[field] ?? Number.NaN);
    const { deployments, members } = ORDER;
    const of = `${deployments.toLocaleString('en')} Deployments of 3 replicas over ${members} members`;
    const seconds = FLOOR.secondsOfEach * deployments;
    return [
      beside(`${of}, until ready`, 's', all('readySeconds'), seconds),
      beside('the same, deleted until gone', 's', all('goneSeconds'), seconds / 2),
      beside('for each', 'ms CPU', all('cpuMsOfEach'), FLOOR.cpuMs),
      beside('for each', 'writes', all('writesOfEach'), FLOOR.writes),
      beside('for each', 'bytes', all('bytesOfEach'), FLOOR.bytes),
      beside(
        'one of another namespace meanwhile',
        's',
        all('newcomerSeconds'),
        FLOOR.newcomerSeconds,
      ),
      beside('a list of that namespace, p99', 'ms', all('readMs'), FLOOR.readMs),
      ...besideMedian('until ready', all('readySeconds')),
      ...besideMedian('until gone', all('goneSeconds')),
      ...(await besideKarmada(ORDER, result, printWrites)),
    ];
  },
};
