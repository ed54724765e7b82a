import { apiserverBenchmark } from './apiserver.ts';
import { fairnessBenchmark } from './apiserver-fairness.ts';
import { claimsBenchmark } from './claims.ts';
import { cliStartBenchmark } from './cli-start.ts';
import { clientBenchmark } from './client.ts';
import { dispatchKueueBenchmark } from './dispatch-kueue.ts';
import type { Benchmark, Figure } from './figure.ts';
import { flowBenchmark } from './flow.ts';
import { idleBenchmark } from './idle.ts';
import { moverBenchmark } from './mover.ts';
import { pipelineBenchmark } from './pipeline.ts';
import { planBenchmark } from './plan.ts';
import { podGroupBenchmark } from './podgroup.ts';
import { queuesBenchmark } from './queues.ts';
import { roomBenchmark } from './room.ts';
import { schedulerBenchmark } from './scheduler.ts';
import { shardingBenchmark } from './sharding.ts';
import { storeBenchmark } from './store.ts';
import { isReached, toTable } from './table.ts';
import { triggerBenchmark } from './trigger.ts';

const BENCHMARKS: readonly Benchmark[] = [
  clientBenchmark,
  storeBenchmark,
  apiserverBenchmark,
  fairnessBenchmark,
  schedulerBenchmark,
  pipelineBenchmark,
  roomBenchmark,
  triggerBenchmark,
  planBenchmark,
  claimsBenchmark,
  flowBenchmark,
  dispatchKueueBenchmark,
  podGroupBenchmark,
  queuesBenchmark,
  shardingBenchmark,
  cliStartBenchmark,
  idleBenchmark,
  moverBenchmark,
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  const knownNames = BENCHMARKS.map(({ name }) => name).join(', ');
  console.error(`there is no benchmark ${unknown.join(', ')}: choose from ${knownNames}`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const benchmark of BENCHMARKS) {
  if (names.length > 0 && !names.includes(benchmark.name)) continue;
  console.error(`measuring ${benchmark.name} …`);
  figures.push(...(await benchmark.run()));
}
console.log(toTable(figures));
process.exitCode = figures.every(isReached) ? 0 : 1;
