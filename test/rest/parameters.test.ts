import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, state } = world;

const body = profileOf('a', { CPUCapacity: 8 });
const created = await call('POST', CLUSTERS, { token: admin, body });
assert.equal(created.code, 201);

test('a parameter that the call does not know is refused, and those that it knows are named', async () => {
  const cases = [
    [
      'GET',
      `${CLUSTERS}?labelselector=a`,
      'labelselector',
      /limit, continue, labelSelector, field/,
    ],
    ['GET', `${CLUSTERS}/a?limit=1`, 'limit', /takes none/],
    ['HEAD', `${CLUSTERS}/a?limit=1`, 'limit', /takes none/],
    ['POST', `${CLUSTERS}?dry-run=All`, 'dry-run', /takes dryRun/],
    ['PUT', `${CLUSTERS}/a?force=true`, 'force', /takes dryRun/],
    ['DELETE', `${CLUSTERS}/a?Force=true`, 'Force', /takes dryRun, force/],
    ['GET', '/globalscheduler/v1/openapi.json?x', 'x', /takes none/],
  ] as const;
  for (const [method, path, field, known] of cases) {
    const before = state();
    const sent = method === 'POST' || method === 'PUT' ? { body: profileOf('new') } : {};
    const { code, body: answer } = await call(method, path, { token: admin, ...sent });
    assert.equal(code, 400, path);
    assert.equal(state(), before);
    if (method === 'HEAD') continue;
    assert.equal(answer.reason, 'UnknownParameter');
    assert.match(String(answer.detail), known);
    assert.deepEqual(
      (answer.errors as { field: string }[]).map((one) => one.field),
      [field],
    );
  }
});

test('with dryRun=All everything is checked, and nothing is written', async () => {
  const before = state();
  const dry = `${CLUSTERS}?dryRun=All`;
  const fresh = await call('POST', dry, { token: admin, body: profileOf('b', { CPUCapacity: 1 }) });
  assert.equal(fresh.code, 201);
  assert.deepEqual([fresh.headers.location, fresh.headers.etag], [undefined, undefined]);
  assert.equal((await call('POST', dry, { token: admin, body })).code, 200);
  const other = profileOf('a', { CPUCapacity: 9 });
  assert.equal((await call('POST', dry, { token: admin, body: other })).code, 409);
  const wrong = profileOf('b', { CPUCapacity: 'one' });
  assert.equal((await call('POST', dry, { token: admin, body: wrong })).code, 400);
  const changed = await call('PUT', `${CLUSTERS}/a?dryRun=All`, { token: admin, body: other });
  assert.equal(changed.code, 200);
  assert.match(changed.text, /"CPUCapacity":9/);
  const gone = await call('DELETE', `${CLUSTERS}/a?dryRun=All`, { token: admin });
  assert.deepEqual([gone.code, gone.body.deleted], [200, 'a']);
  const missing = await call('DELETE', `${CLUSTERS}/b?dryRun=All`, { token: admin });
  assert.equal(missing.code, 404);
  assert.equal(state(), before);
});

test('dryRun takes nothing but All', async () => {
  const before = state();
  for (const value of ['', 'all', 'true', 'All&dryRun=None']) {
    const path = `${CLUSTERS}/a?dryRun=${value}`;
    const { code, body: answer } = await call('DELETE', path, { token: admin });
    assert.deepEqual([code, answer.reason], [400, 'BadParameter'], value);
  }
  assert.equal(state(), before);
});
