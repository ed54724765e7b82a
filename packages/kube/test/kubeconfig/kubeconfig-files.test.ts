import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { loadClusterConfig } from '../../src/kubeconfig/load-cluster-config.ts';
import { loadKubeconfig } from '../../src/kubeconfig/load-kubeconfig.ts';
import { resolveContext } from '../../src/kubeconfig/resolve-context.ts';
import { createAuthority } from '../support/certificates.ts';

const clock = new VirtualClock();

/** A folder with files that goes away after the test. */
const withFiles = async (files: { readonly [path: string]: string }) => {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content, { mode: 0o600 });
  }
  return {
    at: (path: string) => join(folder, path),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
};

const kubeconfig = (name: string, current = name): string => `
apiVersion: v1
kind: Config
current-context: ${current}
contexts:
- name: ${name}
  context: { cluster: shared, user: ${name}, namespace: of-${name} }
clusters:
- name: shared
  cluster: { server: "https://${name}:6443" }
users:
- name: ${name}
  user: { token: token-of-${name} }
`;

test('several files are merged, and of entries with one name the first wins wholly', async () => {
  await using files = await withFiles({
    one: kubeconfig('one', '""'),
    two: kubeconfig('two'),
    three: kubeconfig('three'),
  });
  const KUBECONFIG = ['one', 'missing', '', 'two', 'three']
    .map((name) => (name === '' ? '' : files.at(name)))
    .join(delimiter);
  const config = await loadKubeconfig({ env: { KUBECONFIG } });
  assert.ok(config);
  assert.equal(config.currentContext, 'two');
  assert.deepEqual([...config.contexts.keys()], ['one', 'two', 'three']);
  const { cluster, user, namespace } = resolveContext(config, 'three');
  assert.equal(cluster.server, 'https://one:6443');
  assert.equal(cluster.file, files.at('one'));
  assert.equal(user?.token, 'token-of-three');
  assert.equal(namespace, 'of-three');
});

test('the file named wins over KUBECONFIG, which wins over the one at home', async () => {
  await using files = await withFiles({
    named: kubeconfig('named'),
    listed: kubeconfig('listed'),
    'home/.kube/config': kubeconfig('home'),
  });
  const env = { HOME: files.at('home') };
  const server = async (options: object) =>
    (await loadClusterConfig({ env, clock, ...options })).server;
  assert.equal(await server({}), 'https://home:6443');
  const listed = { env: { ...env, KUBECONFIG: files.at('listed') } };
  assert.equal(await server(listed), 'https://listed:6443');
  assert.equal(await server({ ...listed, kubeconfig: files.at('named') }), 'https://named:6443');
});

test('relative paths are relative to the folder of the file that has them', async () => {
  const authority = createAuthority();
  const { cert, key } = authority.issue({ commonName: 'me', usage: 'client' });
  await using files = await withFiles({
    'conf/config': `
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://x", certificate-authority: ../pki/ca.crt } }]
users: [{ name: u, user: { client-certificate: ../pki/me.crt, client-key: ../pki/me.key, tokenFile: token } }]
`,
    'conf/token': 'secret\n',
    'pki/ca.crt': authority.cert,
    'pki/me.crt': cert,
    'pki/me.key': key,
  });
  const config = await loadClusterConfig({ env: {}, clock, kubeconfig: files.at('conf/config') });
  assert.equal(config.caBundle, authority.cert);
  assert.deepEqual(await config.credentials?.(), {
    authorization: 'Bearer secret',
    certificate: { cert, key },
  });
});

test('secrets that others can read are warned of, and nothing else is', async () => {
  await using files = await withFiles({
    secret: kubeconfig('a'),
    harmless: kubeconfig('b').replace(/token: [^ ]+/, 'tokenFile: elsewhere'),
  });
  const warnings: string[] = [];
  const logger = { warn: (message: string) => warnings.push(message) };
  const load = (name: string) => loadKubeconfig({ env: {}, kubeconfig: files.at(name), logger });
  await load('secret');
  await chmod(files.at('harmless'), 0o644);
  await load('harmless');
  assert.deepEqual(warnings, []);
  await chmod(files.at('secret'), 0o640);
  await load('secret');
  const file = files.at('secret');
  assert.deepEqual(warnings, [
    `the kubeconfig ${file} holds secrets and others can read it: run chmod 600 ${file}`,
  ]);
});

test('a file that is missing or cannot be read is named', async () => {
  await using files = await withFiles({ 'folder/x': '' });
  const load = (options: object) => loadClusterConfig({ env: {}, clock, ...options });
  await assert.rejects(load({ kubeconfig: files.at('none') }), {
    name: 'ConfigError',
    message: `the kubeconfig ${files.at('none')} does not exist: check the path`,
  });
  await assert.rejects(load({ env: { KUBECONFIG: files.at('none') } }), {
    name: 'ConfigError',
    message: `KUBECONFIG names ${files.at('none')}, but no such file exists: correct it`,
  });
  await assert.rejects(load({ kubeconfig: files.at('folder') }), {
    name: 'ConfigError',
    message: `the kubeconfig ${files.at('folder')} cannot be read (EISDIR): check its type and permissions`,
  });
  await assert.rejects(load({ env: { HOME: files.at('folder') } }), {
    name: 'NoKubeconfigError',
    message:
      'there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or put it at ~/.kube/config',
  });
});

test('in a pod the service account is used, unless there is a kubeconfig', async () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  await using files = await withFiles({ config: kubeconfig('a'), 'account/token': 'secret' });
  const serviceAccount = files.at('account');
  await assert.rejects(loadClusterConfig({ env, clock, serviceAccount }), {
    name: 'ConfigError',
    message: `${serviceAccount}/ca.crt (certificate-authority of the service account in ${serviceAccount}) cannot be read (ENOENT): check the path and its permissions`,
  });
  const config = await loadClusterConfig({
    env: { ...env, KUBECONFIG: files.at('config') },
    clock,
  });
  assert.equal(config.server, 'https://a:6443');
});
