import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { createHttpClient } from '../../src/client/http-client.ts';
import { openContext } from '../../src/kubeconfig/open-context.ts';
import { parseKubeconfig } from '../../src/kubeconfig/parse-kubeconfig.ts';
import { resolveContext } from '../../src/kubeconfig/resolve-context.ts';
import { createAuthority } from '../support/certificates.ts';
import type { TlsApiServerOptions } from '../support/tls-api-server.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

const v1 = 'client.authentication.k8s.io/v1';

/** Prints what stands in the file named by its argument, and notes that and how it was called. */
const PLUGIN = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
if (!existsSync(process.argv[2])) process.exit(3);
const { KUBERNETES_EXEC_INFO, EXTRA, INHERITED } = process.env;
const call = { info: JSON.parse(KUBERNETES_EXEC_INFO), EXTRA, INHERITED, args: process.argv.slice(2) };
appendFileSync(process.argv[2] + '.calls', JSON.stringify(call) + '\\n');
process.stdout.write(readFileSync(process.argv[2]));
`;

const startWithPlugin = async (
  plugin: object = {},
  server: Omit<TlsApiServerOptions, 'client'> = {},
) => {
  const f = await startFixture({ server });
  const folder = await mkdtemp(join(tmpdir(), 'plugin-'));
  const output = join(folder, 'output');
  await writeFile(join(folder, 'plugin.mjs'), PLUGIN);
  const exec = {
    apiVersion: v1,
    command: process.execPath,
    args: [join(folder, 'plugin.mjs'), output, 'a b; c'],
    env: [{ name: 'EXTRA', value: 'x' }],
    interactiveMode: 'Never',
    ...plugin,
  };
  const extension = { name: v1.replace('/v1', '/exec'), extension: { audience: 'me' } };
  const cluster = {
    server: f.server.url,
    'certificate-authority-data': Buffer.from(f.server.ca).toString('base64'),
    extensions: [extension],
  };
  const text = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user: { exec } }],
  });
  const file = join(folder, 'config');
  const config = await openContext(resolveContext(await parseKubeconfig(text, { file })), {
    clock: f.clock,
    env: { INHERITED: 'y' },
  });
  const client = createHttpClient(config, { clock: f.clock });
  return {
    ...f,
    client,
    file,
    prints: (status: object, apiVersion = v1) =>
      writeFile(output, JSON.stringify({ kind: 'ExecCredential', apiVersion, status })),
    printsText: (content: string) => writeFile(output, content),
    calls: async () => {
      const lines = await readFile(`${output}.calls`, 'utf8');
      return lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await f[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

const tokens = (f: { server: { requests: readonly { headers: object }[] } }) =>
  f.server.requests.map(({ headers }) => (headers as { authorization?: string }).authorization);

test('a plugin is run once for many requests, without a shell, and told what it needs', async () => {
  await using f = await startWithPlugin();
  await f.prints({ token: 'abc' });
  await Promise.all([f.client.list(ClusterRole), f.client.list(ClusterRole), f.client.version()]);
  assert.deepEqual(tokens(f), ['Bearer abc', 'Bearer abc', 'Bearer abc']);
  const [call, ...others] = await f.calls();
  assert.deepEqual(others, []);
  assert.deepEqual(call.args.slice(1), ['a b; c']);
  assert.equal(call.EXTRA, 'x');
  assert.equal(call.INHERITED, 'y');
  assert.deepEqual(call.info, {
    kind: 'ExecCredential',
    apiVersion: v1,
    spec: { interactive: false },
  });
});

test('a plugin that asks for it is told of the cluster', async () => {
  const apiVersion = `${v1}beta1`;
  await using f = await startWithPlugin({
    apiVersion,
    provideClusterInfo: true,
    interactiveMode: undefined,
  });
  await f.prints({ token: 'abc' }, apiVersion);
  await f.client.list(ClusterRole);
  const [{ info }] = await f.calls();
  assert.equal(info.apiVersion, apiVersion);
  assert.deepEqual(info.spec.cluster, {
    server: f.server.url,
    'certificate-authority-data': Buffer.from(f.server.ca).toString('base64'),
    config: { audience: 'me' },
  });
});

test('a plugin is run again when its credentials expire', async () => {
  await using f = await startWithPlugin();
  const expirationTimestamp = new Date(f.clock.now() + 60_000).toISOString();
  await f.prints({ token: 'one', expirationTimestamp });
  await f.client.list(ClusterRole);
  await f.prints({ token: 'two' });
  await f.clock.advance(59_999);
  await f.client.list(ClusterRole);
  await f.clock.advance(1);
  await f.client.list(ClusterRole);
  await f.clock.advance(3_600_000);
  await f.client.list(ClusterRole);
  assert.deepEqual(tokens(f), ['Bearer one', 'Bearer one', 'Bearer two', 'Bearer two']);
  assert.equal((await f.calls()).length, 2);
});

test('a plugin is run again when the server rejects its credentials', async () => {
  await using f = await startWithPlugin();
  await f.prints({ token: 'one' });
  await f.client.list(ClusterRole);
  f.server.faults.add(
    { type: 'answer', code: 401 },
    { when: ({ headers }) => headers.authorization !== 'Bearer two', times: 9 },
  );
  await assert.rejects(f.client.list(ClusterRole), /does not accept the credentials/);
  await f.prints({ token: 'two' });
  await f.client.create(ClusterRole, { metadata: { name: 'r' } });
  assert.deepEqual(tokens(f), ['Bearer one', 'Bearer one', 'Bearer one', 'Bearer two']);
});

test('a plugin may give a certificate', async () => {
  const authority = createAuthority();
  const { cert, key } = authority.issue({ commonName: 'alice', usage: 'client' });
  await using f = await startWithPlugin({}, { authority, clientCertificates: 'required' });
  await f.prints({ clientCertificateData: cert, clientKeyData: key });
  await f.client.list(ClusterRole);
  assert.equal(f.server.requests[0]?.peer, 'alice');
});

test('what goes wrong with a plugin is told without what it printed', async () => {
  await using f = await startWithPlugin();
  const who = `the credential plugin ${process.execPath} of user "u" of ${f.file}`;
  const fails = (message: string) =>
    assert.rejects(f.client.list(ClusterRole), { name: 'ConfigError', message });
  await fails(`${who} failed with exit code 3: log in again, or run it by hand to see why`);
  await f.printsText('secret');
  await fails(`${who} printed something that is not JSON: it must print an ExecCredential`);
  await f.prints({ token: 'secret' }, `${v1}beta1`);
  await fails(
    `${who} must print an ExecCredential of ${v1}: set the apiVersion that it supports, or update it`,
  );
  await f.prints({ clientKeyData: 'secret' });
  await fails(`${who} gave no complete credentials: a token, or a certificate with its key`);
  assert.equal(f.server.requests.length, 0);
});

test('a plugin that is not installed: the hint says how to get it', async () => {
  await using f = await startWithPlugin({
    command: 'no-such-plugin',
    installHint: 'Run \u001b[1mbrew install it',
  });
  await assert.rejects(f.client.list(ClusterRole), {
    name: 'ConfigError',
    message: `the credential plugin no-such-plugin of user "u" of ${f.file} cannot be run (ENOENT): Run [1mbrew install it`,
  });
});

test('a plugin that needs a terminal is not run without one', async () => {
  await using f = await startWithPlugin({ interactiveMode: 'Always' });
  await f.prints({ token: 'abc' });
  await assert.rejects(f.client.list(ClusterRole), /needs a terminal/);
});
