import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { createHttpClient } from '../../src/client/http-client.ts';
import { ConfigError } from '../../src/errors.ts';
import { inClusterConfig } from '../../src/kubeconfig/in-cluster.ts';
import { openContext } from '../../src/kubeconfig/open-context.ts';
import { parseKubeconfig } from '../../src/kubeconfig/parse-kubeconfig.ts';
import { resolveContext } from '../../src/kubeconfig/resolve-context.ts';
import { createAuthority } from '../support/certificates.ts';
import type { TlsApiServerOptions } from '../support/tls-api-server.ts';
import { type Fixture, startFixture } from '../support/tls-api-server-fixture.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A server, a folder, and a client for a user who is described as in a kubeconfig there. */
const startAs = async (
  user: (folder: string) => object,
  server: Omit<TlsApiServerOptions, 'client'> = {},
) => {
  const f = await startFixture({ server });
  const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  const warnings: string[] = [];
  const connect = async () => {
    const cluster = { server: f.server.url, 'certificate-authority-data': base64(f.server.ca) };
    const text = JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster }],
      users: [{ name: 'u', user: user(folder) }],
    });
    const context = resolveContext(await parseKubeconfig(text, { file: join(folder, 'config') }));
    const logger = { warn: (message: string) => warnings.push(message) };
    const options = { env: {}, clock: f.clock, logger };
    return createHttpClient(await openContext(context, options), {
      ...options,
      deadPeerAfterMs: Number.POSITIVE_INFINITY,
    });
  };
  return {
    ...f,
    warnings,
    connect,
    write: (name: string, content: string) => writeFile(join(folder, name), content),
    remove: (name: string) => rm(join(folder, name)),
    [Symbol.asyncDispose]: async () => {
      await f[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

const header = (f: Pick<Fixture, 'server'>, name: string) =>
  f.server.requests.at(-1)?.headers[name];

/** From now on only this token is accepted. */
const acceptOnly = (f: Pick<Fixture, 'server'>, token: string): void => {
  f.server.faults.add(
    { type: 'answer', code: 401, body: { kind: 'Status', code: 401, message: 'Unauthorized' } },
    { when: ({ headers }) => headers.authorization !== `Bearer ${token}`, times: 100 },
  );
};

test('a token, a user name with a password, and nobody', async () => {
  const cases = [
    [{ token: 'abc' }, 'Bearer abc'],
    [{ username: 'me', password: 'pä' }, `Basic ${base64('me:pä')}`],
    [{}, undefined],
  ] as const;
  for (const [user, authorization] of cases) {
    await using f = await startAs(() => user);
    await using client = await f.connect();
    await client.list(ClusterRole);
    assert.equal(header(f, 'authorization'), authorization);
  }
});

test('a client certificate proves who asks, for requests and watches', async () => {
  const authority = createAuthority();
  const { cert, key } = authority.issue({ commonName: 'alice', usage: 'client' });
  const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
  await using f = await startAs(() => user, { authority, clientCertificates: 'required' });
  await using client = await f.connect();
  await client.create(ClusterRole, { metadata: { name: 'r' } });
  for await (const _ of client.watch(ClusterRole)) break;
  assert.deepEqual(
    f.server.requests.map(({ peer }) => peer),
    ['alice', 'alice'],
  );
});

test('impersonation headers', async () => {
  const user = {
    token: 'abc',
    as: 'bob',
    'as-uid': '42',
    'as-groups': ['dev', 'ops'],
    'as-user-extra': { 'example.io/scopes': ['read', 'write'] },
  };
  await using f = await startAs(() => user);
  await using client = await f.connect();
  await client.list(ClusterRole);
  assert.equal(header(f, 'impersonate-user'), 'bob');
  assert.equal(header(f, 'impersonate-uid'), '42');
  assert.equal(header(f, 'impersonate-group'), 'dev, ops');
  assert.equal(header(f, 'impersonate-extra-example.io%2fscopes'), 'read, write');
});

test('a token file is read again every minute', async () => {
  await using f = await startAs(() => ({ tokenFile: 'token' }));
  await f.write('token', 'one\n');
  await using client = await f.connect();
  const seen = async () => {
    await client.list(ClusterRole);
    return header(f, 'authorization');
  };
  assert.equal(await seen(), 'Bearer one');
  await f.write('token', 'two\n');
  await f.clock.advance(59_000);
  assert.equal(await seen(), 'Bearer one');
  await f.clock.advance(1000);
  assert.equal(await seen(), 'Bearer two');
  await f.remove('token');
  await f.clock.advance(60_000);
  assert.equal(await seen(), 'Bearer two');
  assert.match(
    f.warnings.join(),
    /the token file .* cannot be read .*; the last known credentials stay in use/,
  );
});

test('a token file is read again at once when the server rejects the token, also for a write', async () => {
  await using f = await startAs(() => ({ tokenFile: 'token' }));
  await f.write('token', 'one');
  await using client = await f.connect();
  acceptOnly(f, 'two');
  await assert.rejects(client.list(ClusterRole), /does not accept the credentials/);
  assert.equal(f.server.requests.length, 1);
  await f.write('token', 'two');
  await client.create(ClusterRole, { metadata: { name: 'r' } });
  assert.equal(f.server.requests.length, 3);
  for await (const { type } of client.watch(ClusterRole)) {
    assert.equal(type, 'ADDED');
    break;
  }
});

test('a renewed client certificate makes new connections, and what is under way goes on', async () => {
  const authority = createAuthority();
  const one = authority.issue({ commonName: 'one', usage: 'client' });
  const two = authority.issue({ commonName: 'two', usage: 'client' });
  const user = { 'client-certificate': 'cert', 'client-key': 'key' };
  await using f = await startAs(() => user, { authority, clientCertificates: 'required' });
  await f.write('cert', one.cert);
  await f.write('key', one.key);
  await using client = await f.connect();
  const watch = client.watch(ClusterRole)[Symbol.asyncIterator]();
  await f.direct.create(ClusterRole, { metadata: { name: 'x' } });
  await watch.next();
  await f.write('cert', two.cert);
  await f.write('key', two.key);
  await f.clock.advance(60_000);
  await client.create(ClusterRole, { metadata: { name: 'y' } });
  assert.deepEqual(
    f.server.requests.map(({ peer }) => peer),
    ['one', 'two'],
  );
  assert.equal((await watch.next()).value?.object.metadata.name, 'y');
});

test('in a pod: the token and CA of the service account, read again as they rotate', async () => {
  await using f = await startAs(() => ({}));
  const folder = await mkdtemp(join(tmpdir(), 'serviceaccount-'));
  await writeFile(join(folder, 'token'), 'one');
  await writeFile(join(folder, 'ca.crt'), f.server.ca);
  await writeFile(join(folder, 'namespace'), 'perigee-system');
  const { hostname, port } = new URL(f.server.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const config = await inClusterConfig({ env, clock: f.clock, serviceAccount: folder });
  assert.equal(config.namespace, 'perigee-system');
  await using client = createHttpClient(config, { clock: f.clock });
  await client.list(ClusterRole);
  assert.equal(header(f, 'authorization'), 'Bearer one');
  await writeFile(join(folder, 'token'), 'two');
  await f.clock.advance(60_000);
  await client.list(ClusterRole);
  assert.equal(header(f, 'authorization'), 'Bearer two');
  const v6 = { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' };
  assert.equal(
    (await inClusterConfig({ env: v6, clock: f.clock, serviceAccount: folder })).server,
    `https://[fd00::1]:${port}`,
  );
  await rm(folder, { recursive: true });
});

test('no credentials go over a connection without TLS', async () => {
  let asked = 0;
  const credentials = async () => {
    asked += 1;
    return { authorization: 'Bearer secret' };
  };
  await using f = await startFixture({
    config: { server: 'http://127.0.0.1:9', credentials },
    client: { retry: { attempts: 1 } },
  });
  await assert.rejects(f.client.list(ClusterRole), /the connection was refused/);
  assert.equal(asked, 0);
});

test('a token that no header can carry is told of, and not shown', async () => {
  await using f = await startAs(() => ({ token: 'secret\nsecret' }));
  await using client = await f.connect();
  await assert.rejects(client.list(ClusterRole), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      /^the credentials for https:.* hold characters that cannot be sent/,
    );
    assert.ok(!error.message.includes('secret'));
    return true;
  });
});
