import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '@perigee/schema/json';
import { type RestWorld, startRestWorld } from './rest-world.ts';
import { SEED_FILE, seedSpec } from './seed-example.ts';

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).error === undefined;
const folder = mkdtempSync(join(tmpdir(), 'perigee-rest-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs curl as a person would, and gives the code and the JSON of the answer. */
const curlOf = ({ url, ca, admin }: RestWorld) => {
  const authority = join(folder, 'ca.crt');
  writeFileSync(authority, ca);
  return async (...args: readonly string[]): Promise<readonly [number, JsonObject]> => {
    const path = args.at(-1) ?? '';
    const { stdout } = await run('curl', [
      ...['--silent', '--cacert', authority, '--header', `Authorization: Bearer ${admin}`],
      ...['--write-out', '\n%{http_code}', ...args.slice(0, -1), `${url}${path}`],
    ]);
    const [body = '', code = ''] = stdout.split(/\n(?=\d+$)/);
    return [Number(code), JSON.parse(body)];
  };
};

const options = hasCurl ? {} : { skip: 'curl is not on this machine' };

test('the requests of the design, through curl', options, async () => {
  await using world = await startRestWorld();
  const curl = curlOf(world);
  const post = [
    ...['--request', 'POST', '--header', 'Content-Type: application/json'],
    ...['--data', `@${SEED_FILE}`, '/globalscheduler/v1/clusters'],
  ];
  const [created, { cluster_profile: profile }] = await curl(...post);
  assert.equal(created, 201);
  const { cluster_id: id, ...rest } = profile as JsonObject;
  assert.match(String(id), /^[0-9a-f-]{36}$/);
  const shown = {
    cluster_name: 'cluster1',
    cluster_spec: seedSpec,
    cluster_status: { phase: 'Pending' },
  };
  assert.deepEqual(rest, shown);
  const whole = { cluster_id: id, ...shown };

  assert.deepEqual(await curl('/globalscheduler/v1/clusters'), [200, { clusters: [whole] }]);
  assert.deepEqual(await curl('/v1/clusters'), [200, { clusters: [whole] }]);
  const ways = [
    `/globalscheduler/v1/clusters/id/${id}`,
    '/globalscheduler/v1/clusters/name/cluster1',
    `/globalscheduler/v1/clusters/${id}`,
    '/globalscheduler/v1/clusters/cluster1',
    '/globalscheduler/v1/clutsers/name/cluster1',
    `/v1/clusters/id/${id}`,
    '/v1/clusters/name/cluster1',
    '/v1/clusters/cluster1',
  ];
  for (const way of ways) {
    assert.deepEqual(await curl(way), [200, { cluster_profile: whole }], way);
  }

  const gone = { cluster_id: id, cluster_name: 'cluster1', outcome: 'removed' };
  const byId = `/globalscheduler/v1/clusters/${id}`;
  assert.deepEqual(await curl('--request', 'DELETE', byId), [200, { deleted: id, ...gone }]);
  const [again, second] = await curl(...post);
  assert.equal(again, 201);
  const { cluster_id: newId } = second.cluster_profile as JsonObject;
  assert.notEqual(newId, id);
  const byName = '/globalscheduler/v1/clutsers/name/cluster1';
  assert.deepEqual(await curl('--request', 'DELETE', byName), [
    200,
    { deleted: 'cluster1', ...gone, cluster_id: newId },
  ]);
  assert.equal((await curl('--request', 'DELETE', byName))[0], 404);
  assert.deepEqual(await curl('/globalscheduler/v1/clusters'), [200, { clusters: [] }]);
});
