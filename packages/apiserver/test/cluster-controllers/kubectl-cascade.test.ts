import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '@perigee/schema/json';
import { kubectlBinary } from '../../../../test/clients/client-binaries.ts';
import { startServer } from '../embedded/embedded-fixture.ts';

const { path: KUBECTL, skip } = kubectlBinary();
const run = promisify(execFile);

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const APPS = '/apis/apps/v1/namespaces/default';

/** Objects of a deployment controller, made by hand. */
const startWithDeployment = async () => {
  const api = await startServer();
  const folder = mkdtempSync(join(tmpdir(), 'perigee-cascade-'));
  const connection = [
    `--server=${api.url}`,
    `--cache-dir=${folder}`,
    '--kubeconfig=/dev/null',
    '--request-timeout=20s',
  ];
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(KUBECTL, [...connection, ...args])).stdout;
  const make = async (
    path: string,
    kind: string,
    name: string,
    spec: object,
    owner?: JsonObject,
  ) => {
    const uid = (owner?.metadata as JsonObject | undefined)?.uid;
    const ownerReferences = owner && [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        name: (owner.metadata as JsonObject).name,
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    const metadata = { name, labels, ...(ownerReferences ? { ownerReferences } : {}) };
    const { code, body } = await api.send('POST', path, { kind, metadata, spec } as JsonObject);
    assert.equal(code, 201);
    return body;
  };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const deployment = await make(`${APPS}/deployments`, 'Deployment', 'web', spec);
  const set = await make(`${APPS}/replicasets`, 'ReplicaSet', 'web-1', spec, deployment);
  for (const name of ['web-1-a', 'web-1-b']) {
    await make('/api/v1/namespaces/default/pods', 'Pod', name, template.spec, set);
  }
  /** Resolves when the collector has nothing left to do about these. */
  const until = async (expected: readonly string[]): Promise<void> => {
    const { store } = api.registry;
    for (;;) {
      using changes = store.watchAll('root/');
      const text = await kubectl('get', 'deploy,rs,pods', '--ignore-not-found', '--output=name');
      if (text.trim() === expected.join('\n')) return;
      await changes[Symbol.asyncIterator]().next();
    }
  };
  return {
    ...api,
    kubectl,
    until,
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
};

const SET = 'replicaset.apps/web-1';
const PODS = ['pod/web-1-a', 'pod/web-1-b'];

for (const cascade of ['background', 'foreground']) {
  test(`kubectl delete --cascade=${cascade} takes all along`, {
    skip,
    timeout: 30_000,
  }, async () => {
    await using api = await startWithDeployment();
    const told = await api.kubectl('delete', 'deployment', 'web', `--cascade=${cascade}`);
    assert.equal(told, 'deployment.apps "web" deleted from default namespace\n');
    if (cascade === 'foreground') {
      // It has waited until the deployment was gone, and so until all was gone.
      const left = await api.kubectl('get', 'rs,pods', '--ignore-not-found', '--output=name');
      assert.equal(left, '');
    }
    await api.until([]);
  });
}

test('kubectl delete --cascade=orphan takes nothing along', { skip, timeout: 30_000 }, async () => {
  await using api = await startWithDeployment();
  await api.kubectl('delete', 'deployment', 'web', '--cascade=orphan');
  await api.until([SET, ...PODS]);
  const path = '-o=jsonpath={.items[*].metadata.ownerReferences[*].name}';
  assert.equal(await api.kubectl('get', 'rs', path), '');
  assert.equal(await api.kubectl('get', 'pods', path), 'web-1 web-1');
  await api.kubectl('delete', 'rs', 'web-1');
  await api.until([]);
});
