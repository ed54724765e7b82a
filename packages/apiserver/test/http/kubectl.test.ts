import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { toCrd } from '@perigee/api/kind/crd';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { kubectlBinary } from '../../../../test/clients/client-binaries.ts';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { servedResources } from '../../src/crd/served-resources.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { CONFIG_MAPS, serveApi } from './http-fixture.ts';

const { path: KUBECTL, skip } = kubectlBinary();

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'perigee-kubectl-'));
after(() => rmSync(folder, { recursive: true }));

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: c, image: 'nginx:1', ports: [{containerPort: 80}]}
`;

const QUEUE = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: fast}
spec: {weight: 2}
`;

/** A server with all kinds, and a kubectl that speaks to it in a namespace of its own. */
const serveKubectl = async () => {
  const authority = createAuthority();
  const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
  const custom = allKinds.flatMap((kind) => servedResources(toCrd(kind)));
  const api = await serveApi({ resources: [...serverResources(), ...custom], server: { tls } });
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const connection = [
    `--server=${api.server.url}`,
    `--certificate-authority=${file('ca.pem', authority.cert)}`,
    `--cache-dir=${join(folder, 'cache')}`,
    '--namespace=a',
    '--token=anyone',
    '--kubeconfig=/dev/null',
  ];
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(KUBECTL, [...connection, ...args])).stdout;
  /** Its output when it fails. */
  const complains = (...args: string[]): Promise<string> =>
    run(KUBECTL, [...connection, ...args]).then(
      () => assert.fail(`kubectl ${args.join(' ')} should fail`),
      ({ stderr }: { stderr: string }) => stderr,
    );
  return { ...api, file, kubectl, complains, connection };
};

/** Reads gzip, and lets go of what it is told. */
const openWatch = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const ca = readFileSync(join(folder, 'ca.pem'));
    const options = { ca, headers: { 'accept-encoding': 'gzip' } };
    const asked = get(`${url}${CONFIG_MAPS}?watch=true`, options, (response) => {
      response.once('error', () => {}).resume();
      resolve();
    });
    asked.once('error', reject);
  });

test('kubectl works on built-in objects', { skip }, async () => {
  await using api = await serveKubectl();
  const { kubectl, complains, file } = api;
  const path = file('web.yaml', DEPLOYMENT);
  const field = (text: string) => kubectl('get', 'deploy', 'web', '-o', `jsonpath={${text}}`);
  assert.equal(await kubectl('apply', '-f', path), 'deployment.apps/web created\n');
  const version = await field('.metadata.resourceVersion');
  assert.equal(await kubectl('apply', '-f', path), 'deployment.apps/web unchanged\n');
  assert.equal(await field('.metadata.resourceVersion'), version);
  const more = file('more.yaml', DEPLOYMENT.replace('replicas: 2', 'replicas: 3'));
  assert.equal(await kubectl('apply', '-f', more), 'deployment.apps/web configured\n');
  assert.equal(await field('.spec.replicas'), '3');
  await kubectl('apply', '--server-side', '-f', path);
  const applied = await field('.metadata.resourceVersion');
  await kubectl('apply', '--server-side', '-f', path);
  assert.equal(await field('.metadata.resourceVersion'), applied);
  await kubectl('label', 'deploy', 'web', 'tier=front');
  await kubectl('patch', 'deploy', 'web', '-p', '{"spec":{"paused":true}}');
  await kubectl('scale', 'deploy', 'web', '--replicas=5');
  await kubectl('set', 'image', 'deploy/web', 'c=nginx:2');
  assert.equal(
    await field('.metadata.labels.tier} {.spec.paused} {.spec.replicas} {..image'),
    'front true 5 nginx:2',
  );
  assert.match(await kubectl('get', 'deploy'), /^NAME +.*\nweb +/);
  assert.match(await kubectl('get', 'deploy', 'web', '-o', 'yaml'), /^apiVersion: apps\/v1\n/);
  assert.match(await kubectl('delete', 'deploy', 'web'), /^deployment\.apps "web" deleted/);
  assert.match(
    await complains('get', 'deploy', 'web'),
    /\(NotFound\): deployments\.apps "web" not found/,
  );
});

test('kubectl works on custom objects', { skip }, async () => {
  await using api = await serveKubectl();
  const { kubectl, complains, file } = api;
  const path = file('queue.yaml', QUEUE);
  await kubectl('create', '-f', path);
  assert.match(await complains('create', '-f', path), /\(AlreadyExists\)/);
  assert.match(await kubectl('get', 'queues'), /^NAME +PARENT +STATE +WEIGHT .*\nfast +2 +/);
  assert.match(await complains('patch', 'queue', 'fast', '-p', '{}'), /not supported/);
  await kubectl('patch', 'queue', 'fast', '--type=merge', '-p', '{"spec":{"weight":7}}');
  assert.equal(await kubectl('get', 'queue', 'fast', '-o', 'jsonpath={.spec.weight}'), '7');
  const odd = file('odd.yaml', QUEUE.replace('weight: 2', 'wait: 2'));
  assert.match(await complains('apply', '-f', odd), /unknown field "spec\.wait"/);
  assert.match(await kubectl('explain', 'queue.spec.weight'), /FIELD: weight <integer>/);
  await kubectl('delete', 'queue', 'fast');
});

test('kubectl is told at once what a crowd is told compressed', { skip }, async () => {
  await using api = await serveKubectl();
  const { kubectl, connection } = api;
  await kubectl('create', 'configmap', 'settings', '--from-literal=k=0');
  const shown = ['-w', '-o', 'jsonpath={.metadata.name} {.data.k}{"\\n"}'];
  const watching = spawn(KUBECTL, [...connection, 'get', 'cm', ...shown]);
  using _ = { [Symbol.dispose]: () => watching.kill() };
  await Promise.all(Array.from({ length: 20 }, () => openWatch(api.server.url)));
  const lines = createInterface(watching.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'settings 0');
  for (const value of ['1', '2', '3', '4']) {
    const patch = `{"data":{"k":"${value}"}}`;
    await kubectl('patch', 'cm', 'settings', '--type=merge', '-p', patch);
    assert.equal((await lines.next()).value, `settings ${value}`);
  }
});

test('kubectl writes in protobuf, watches and waits', { skip }, async () => {
  await using api = await serveKubectl();
  const { kubectl, connection } = api;
  const watching = spawn(KUBECTL, [...connection, 'get', 'cm', '-w', '--output-watch-events']);
  try {
    const lines = createInterface(watching.stdout)[Symbol.asyncIterator]();
    const next = async () => ((await lines.next()).value as string).split(/ +/).slice(0, 2);
    await kubectl('create', 'configmap', 'settings', '--from-literal=k=v');
    await next();
    assert.deepEqual(await next(), ['ADDED', 'settings']);
    await kubectl('label', 'cm', 'settings', 'a=b');
    assert.deepEqual(await next(), ['MODIFIED', 'settings']);
    await kubectl('delete', 'cm', 'settings');
    assert.deepEqual(await next(), ['DELETED', 'settings']);
  } finally {
    watching.kill();
  }
  await kubectl('create', 'namespace', 'b');
  await kubectl('wait', 'namespace/b', '--for=jsonpath={.metadata.name}=b', '--timeout=10s');
  // Nobody is there to empty it, which would let it go.
  assert.equal(
    await kubectl('delete', 'namespace', 'b', '--wait=false'),
    'namespace "b" deleted\n',
  );
});
