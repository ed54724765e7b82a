import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { openFolder, startUp } from '../placement/perigee-process.ts';

const MAIN = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
const decoded = (text: string): string => Buffer.from(text, 'base64').toString();

/** Posts with the credentials of a kubeconfig. */
const post = async (kubeconfig: string, path: string, body: object) => {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'));
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const outgoing = request(new URL(path, cluster.server), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  });
  outgoing.end(JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  return {
    code: response.statusCode,
    body: (await json(response)) as { reason: string; detail: string },
  };
};

test('a cluster that is registered cannot be registered under another name', async () => {
  using folder = openFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  await using _up = await startUp(folder.path, '--port', '0', '--members', '2', '--nodes', '1');
  const perigee = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, '--kubeconfig', kubeconfig, ...args], { encoding: 'utf8' });
  const read = (...args: readonly string[]) =>
    JSON.parse(perigee('get', ...args, '-o', 'json').stdout);
  const [one, two] = ['member1', 'member2'].map((name) => read('clusters', name));
  assert.match(one.status.clusterID, /^[0-9a-f-]{36}$/);
  assert.notEqual(one.status.clusterID, two.status.clusterID);

  const known = parse(readFileSync(kubeconfig, 'utf8'));
  const text = stringify({ ...known, 'current-context': 'member1' });
  const secretRef = { namespace: 'default', name: 'again' };
  const data = { kubeconfig: Buffer.from(text).toString('base64') };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: secretRef, data };
  await post(kubeconfig, '/api/v1/namespaces/default/secrets', secret);
  const spec = { type: 'kubernetes', secretRef };
  const profile = { cluster_name: 'again', cluster_spec: spec };
  const refused = await post(kubeconfig, '/globalscheduler/v1/clusters', profile);
  assert.deepEqual([refused.code, refused.body.reason], [409, 'SameCluster'], refused.body.detail);
  assert.match(refused.body.detail, /registered already, as member1 \(id /);

  using files = openFolder();
  const file = join(files.path, 'again.json');
  writeFileSync(file, JSON.stringify({ metadata: { name: 'again' }, spec }));
  const { status, stderr } = perigee('register', '-f', file);
  assert.notEqual(status, 0);
  assert.match(stderr, /registered already, as member1/);
  assert.equal(perigee('get', 'clusters', 'again').status === 0, false);

  const unreachable = { ...spec, secretRef: { ...secretRef, name: 'nobody' } };
  const later = { cluster_name: 'later', cluster_spec: unreachable };
  assert.equal((await post(kubeconfig, '/v1/clusters', later)).code, 201);
});
