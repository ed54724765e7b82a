import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

/** Tells, as JSON, what a further member costs: in a process of its own, since the runner of tests slows promises down. */
const [access] = process.argv.slice(2);
const MIB = 2 ** 20;
const COUNT = 100;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const usedBytes = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

await using server = await startEmbeddedServer({
  clock,
  ...(access === 'rbac' ? { access } : {}),
});
for (const name of ['w1', 'w2', 'w3']) await server.openCluster(name);
const before = usedBytes();
const times: number[] = [];
for (let at = 0; at < COUNT; at++) {
  const start = clock.monotonic();
  await server.openCluster(`m${at}`);
  times.push(clock.monotonic() - start);
}
const mib = (usedBytes() - before) / MIB / COUNT;
process.stdout.write(JSON.stringify({ mib, ms: median(times) }));
