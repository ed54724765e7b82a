import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { kubectlBinary } from '../../../../test/clients/client-binaries.ts';
import { widgetCrd } from '../crd/widget-crd.ts';
import { startServer } from './embedded-fixture.ts';

const { path: KUBECTL, skip } = kubectlBinary();

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'perigee-kubectl-'));
after(() => rmSync(folder, { recursive: true }));

const ORDERS = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSource
metadata: {name: hive-orders}
spec:
  system: hive
  type: table
  name: dc1.sales.orders
  locality: {clusterNames: [member1, member2]}
`;

const CLUSTER = `
apiVersion: globalscheduler.com/v1
kind: Cluster
metadata: {name: cluster1}
spec: {ipAdrress: 10.0.0.3, CPUCapacity: 8}
`;

const startForKubectl = async () => {
  const api = await startServer();
  const cache = mkdtempSync(join(folder, 'cache-'));
  const connection = [
    `--server=${api.url}`,
    `--cache-dir=${cache}`,
    '--kubeconfig=/dev/null',
    '--request-timeout=20s',
  ];
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(KUBECTL, [...connection, ...args])).stdout;
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  return { ...api, kubectl, file, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
};

test('kubectl applies, shows and explains the kinds of the language', { skip }, async () => {
  await using api = await startForKubectl();
  const { kubectl, file } = api;
  const path = file('orders.yaml', ORDERS);
  const name = 'datasource.datadependency.volcano.sh/hive-orders';
  assert.equal(await kubectl('apply', '-f', path), `${name} created\n`);
  assert.equal(await kubectl('apply', '-f', path), `${name} unchanged\n`);
  assert.match(await kubectl('get', 'perigee'), new RegExp(`${name} +hive +table +dc1`));
  assert.match(await kubectl('get', 'dsrc'), /^NAME +SYSTEM +TYPE +DATA +CLUSTERS +CLAIMS +AGE\n/);
  assert.match(await kubectl('explain', 'datasource'), /^GROUP: +datadependency\.volcano\.sh\n/);
  assert.match(await kubectl('explain', 'datasource.spec.locality'), /clusterNames\t<\[\]string>/);
  assert.match(await kubectl('get', 'crds'), /\ndatasources\.datadependency\.volcano\.sh +20/);
  assert.match(await kubectl('get', 'ns'), /\nkube-system +/);
});

test('kubectl applies a cluster in the spelling of the design', { skip }, async () => {
  await using api = await startForKubectl();
  const { kubectl, file } = api;
  const cluster = 'clusters.globalscheduler.com/cluster1';
  const path = file('cluster.yaml', CLUSTER);
  const read = () => kubectl('get', cluster, '-o', 'jsonpath={.spec}');
  const version = () => kubectl('get', cluster, '-o', 'jsonpath={.metadata.resourceVersion}');
  await kubectl('apply', '-f', path);
  const stored = { type: 'kubernetes', ipAddress: '10.0.0.3', cpuCapacity: 8 };
  assert.deepEqual(JSON.parse(await read()), stored);
  const before = await version();
  await kubectl('apply', '-f', path);
  assert.deepEqual(JSON.parse(await read()), stored);
  assert.equal(await version(), before);
});

test('kubectl installs a definition, uses it and deletes it', { skip }, async () => {
  await using api = await startForKubectl();
  const { kubectl, file } = api;
  const path = file('crd.json', JSON.stringify(widgetCrd()));
  await kubectl('apply', '-f', path);
  const crd = 'crd/widgets.example.com';
  await kubectl('wait', '--for=condition=Established', crd, '--timeout=10s');
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' } };
  await kubectl('apply', '-f', file('widget.json', JSON.stringify(widget)));
  assert.match(await kubectl('get', 'widgets'), /^NAME +AGE\nx +/);
  assert.equal(
    await kubectl('delete', crd),
    'customresourcedefinition.apiextensions.k8s.io "widgets.example.com" deleted\n',
  );
  assert.doesNotMatch(await kubectl('api-resources'), /example\.com/);
});
