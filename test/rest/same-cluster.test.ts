import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { startPerigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { parse, stringify } from 'yaml';
import { perigee } from '../../packages/cli/test/command-line.ts';
import { openFolder } from '../placement/perigee-process.ts';

const PATIENCE_MS = 30_000;
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

/** The id of a cluster, as soon as somebody has looked at it. */
const idOf = async (client: Client, name: string): Promise<string> => {
  using deadline = deadlineAfter(clock, PATIENCE_MS);
  const options = { sendInitialEvents: true, signal: deadline.signal };
  for await (const event of client.watch(ClusterRecord, options)) {
    if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) continue;
    const { clusterID } = event.object.status ?? {};
    if (clusterID !== undefined) return clusterID;
  }
  throw new Error('the watch ended');
};

test('a cluster that is registered cannot be registered under another name', async () => {
  await using plane = await startPerigee({ members: 2, nodes: 1 });
  const { client, kubeconfig } = plane;
  const run = (...args: readonly string[]) => perigee(['--kubeconfig', kubeconfig, ...args]);
  const [one, two] = [await idOf(client, 'member1'), await idOf(client, 'member2')];
  assert.match(one, /^[0-9a-f-]{36}$/);
  assert.notEqual(one, two);

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
  const { code, stderr } = await run('register', '-f', file);
  assert.notEqual(code, 0);
  assert.match(stderr, /registered already, as member1/);
  await assert.rejects(client.get(ClusterRecord, { name: 'again' }), isNotFound);

  const unreachable = { ...spec, secretRef: { ...secretRef, name: 'nobody' } };
  const later = { cluster_name: 'later', cluster_spec: unreachable };
  assert.equal((await post(kubeconfig, '/v1/clusters', later)).code, 201);
});
