import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CLUSTERS, startRestWorld } from './rest-world.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user } = world;

const HUGE = '9007199254740993';
const body = `{"cluster_profile":{"cluster_name":"huge","cluster_spec":{"CPUCapacity":${HUGE},"flavors":[{"FlavorID":"small","TotalCapacity":${HUGE}}]}}}`;
test('whole numbers of 64 bits come out as they went in, for programs and for people', async () => {
  const created = await call('POST', CLUSTERS, { token: admin, body });
  assert.equal(created.code, 201, created.text);
  assert.equal(created.text.split(HUGE).length, 3, created.text);
  for (const agent of ['my-program/1.0', 'curl/8.5.0']) {
    const headers = { 'user-agent': agent };
    for (const path of [CLUSTERS, `${CLUSTERS}/huge`]) {
      const { text } = await call('GET', path, { token: user, headers });
      assert.equal(text.split(HUGE).length, 3, `${agent} ${path} ${text}`);
    }
  }
  assert.equal((await call('POST', CLUSTERS, { token: admin, body })).code, 200);
  const next = body.replaceAll(HUGE, '9007199254740995');
  const changed = await call('PUT', `${CLUSTERS}/huge`, { token: admin, body: next });
  assert.equal(changed.text.split('9007199254740995').length, 3, changed.text);
});

test('what 64 bits cannot hold is refused', async () => {
  const beyond = body.replaceAll(HUGE, '9223372036854775808');
  const { code, text } = await call('PUT', `${CLUSTERS}/huge`, { token: admin, body: beyond });
  assert.equal(code, 400, text);
});
