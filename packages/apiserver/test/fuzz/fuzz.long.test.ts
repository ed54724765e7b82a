import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WireRequest } from './make-request.ts';
import { OWN_CANARY, startPlantedWorld } from './planted-world.ts';
import { runFuzz } from './run-fuzz.ts';
import { speakHttp1 } from './speak.ts';

/** `PERIGEE_FUZZ=200000` sends more requests; `PERIGEE_FUZZ_SEED` is the seed of the first. */
const COUNT = Number(process.env.PERIGEE_FUZZ ?? 2000);
const SEED = Number(process.env.PERIGEE_FUZZ_SEED ?? 1);
const LARGEST_GROWTH_BYTES = 96 * 2 ** 20;

/** Resources in use after everything is gone that can go. */
const liveBytes = (): number => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
};

test('whatever comes over the wire, the server stands, tells no secrets, and blames nobody else', async (t) => {
  await using world = await startPlantedWorld();
  const early = Math.ceil(COUNT / 4);
  const warm = await runFuzz(world, SEED, early);
  const before = liveBytes();
  const rest = await runFuzz(world, SEED + early, COUNT - early);
  const growth = liveBytes() - before;
  const told = [...rest.codes]
    .sort(([a], [b]) => a - b)
    .map(([code, times]) => `${code}: ${times}`);
  t.diagnostic(`grew by ${growth} bytes; answers ${told.join(', ')}`);
  assert.deepEqual([...warm.leaks, ...rest.leaks], []);
  assert.deepEqual([...warm.failures, ...rest.failures].slice(0, 20), []);
  assert.deepEqual(world.faults.slice(0, 20), []);
  assert.ok(growth < LARGEST_GROWTH_BYTES, `grew by ${growth} bytes`);
  const answered = [...rest.codes].reduce((sum, [code, times]) => sum + (code > 0 ? times : 0), 0);
  assert.ok(answered > rest.requests / 2, `only ${answered} of ${rest.requests} were answered`);
  const normal = (method: string, path: string, body = ''): WireRequest => ({
    seed: 1,
    method,
    target: `/clusters/m1/api/v1/namespaces/own/configmaps${path}`,
    headers: [
      ['authorization', `Bearer ${world.token}`],
      ['content-type', 'application/json'],
    ],
    body: Buffer.from(body),
  });
  const map = JSON.stringify({ metadata: { name: 'after' }, data: { key: OWN_CANARY } });
  await speakHttp1(world.place, [normal('DELETE', '/after')]);
  const [created] = await speakHttp1(world.place, [normal('POST', '', map)]);
  assert.equal(created?.code, 201);
  const [read] = await speakHttp1(world.place, [normal('GET', '/after')]);
  assert.match(read?.text ?? '', new RegExp(OWN_CANARY));
});
