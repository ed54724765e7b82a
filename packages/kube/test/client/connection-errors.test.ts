import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import type { ClusterConfig } from '../../src/client/cluster-config.ts';
import { createHttpClient } from '../../src/client/http-client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { ConfigError, ConnectionError, type ConnectionFailure } from '../../src/errors.ts';
import { createAuthority } from '../support/certificates.ts';
import type { TlsApiServerOptions } from '../support/tls-api-server.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

const authority = createAuthority();
const source = 'context "prod" of /home/me/.kube/config';

const failureOf = async (config: ClusterConfig): Promise<ConnectionError> => {
  await using client = createHttpClient(
    { source, ...config },
    { clock: new VirtualClock(), retry: { attempts: 1 } },
  );
  const error = await client.list(ClusterRole).then(
    () => assert.fail('the list was not to succeed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConnectionError, String(error));
  return error;
};

const reports = (error: ConnectionError, failure: ConnectionFailure, ...parts: string[]): void => {
  assert.equal(error.failure, failure);
  for (const part of [source, ...parts]) assert.ok(error.message.includes(part), error.message);
};

const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const withServer = async (
  server: Omit<TlsApiServerOptions, 'client'>,
  config: Partial<ClusterConfig> = {},
): Promise<ConnectionError> => {
  await using f = await startFixture({ server });
  return await failureOf({ server: f.server.url, caBundle: f.server.ca, ...config });
};

test('a refused connection', async () => {
  await using f = await startFixture();
  await f.server.refuseConnections();
  const error = await failureOf({ server: f.server.url, caBundle: f.server.ca });
  reports(
    error,
    'refused',
    f.server.url,
    'the connection was refused',
    'check that the server runs',
  );
});

test('an unknown host', async () => {
  const error = await failureOf({ server: 'https://no-such-host.invalid:6443' });
  reports(error, 'unknown-host', 'no-such-host.invalid is unknown');
});

test('a server whose authority is not trusted', async () => {
  const error = await withServer({}, { caBundle: createAuthority('other').cert });
  reports(error, 'tls', 'not signed by an authority that is trusted here', 'certificate-authority');
});

test('a server whose certificate has expired', async () => {
  const certificate = authority.issue({
    commonName: 'old',
    usage: 'server',
    names: ['127.0.0.1'],
    notAfter: new Date(Date.UTC(2021, 0, 1)),
  });
  const error = await withServer({ authority, certificate });
  reports(error, 'tls', 'its certificate has expired', 'renew it');
});

test('a server whose certificate is for another name, until that name is given', async () => {
  const certificate = authority.issue({
    commonName: 's',
    usage: 'server',
    names: ['api.internal'],
  });
  reports(
    await withServer({ authority, certificate }),
    'tls',
    'its certificate is not for 127.0.0.1',
    'tls-server-name',
  );
  await using f = await startFixture({
    server: { authority, certificate },
    config: { tlsServerName: 'api.internal' },
  });
  assert.ok(await f.client.list(ClusterRole));
  const watch = f.client.watch(ClusterRole)[Symbol.asyncIterator]();
  await f.direct.create(ClusterRole, { metadata: { name: 'x' } });
  assert.equal((await watch.next()).value?.type, 'ADDED');
  await watch.return?.();
});

test('any certificate is good enough if the user says so', async () => {
  await using f = await startFixture({
    config: { caBundle: undefined, insecureSkipTlsVerify: true },
  });
  assert.ok(await f.client.list(ClusterRole));
});

test('a server that hangs up on those without a certificate that it knows', async () => {
  const none = await withServer({ authority, clientCertificates: 'required' });
  reports(none, 'broken', 'closed the connection without a word', 'client certificate');
  const certificate = createAuthority('other').issue({ commonName: 'me', usage: 'client' });
  const credentials = async () => ({ certificate });
  const wrong = await withServer({ authority, clientCertificates: 'required' }, { credentials });
  reports(wrong, 'broken', 'closed the connection without a word', 'client certificate');
});

test('a server with which no version of TLS is shared', async () => {
  const certificate = authority.issue({ commonName: 's', usage: 'server', names: ['127.0.0.1'] });
  await using server = createTlsServer({
    ...certificate,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
  });
  const error = await failureOf({ server: await listening(server), caBundle: authority.cert });
  reports(error, 'tls', 'no TLS connection comes about', 'TLS 1.2');
});

test('a server that does not speak TLS', async () => {
  await using server = createServer((socket) => {
    socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  const error = await failureOf({ server: await listening(server) });
  reports(error, 'tls', 'it does not speak TLS there', 'http://');
});

test('something that is not an API server', async () => {
  await using f = await startFixture({ config: { source } });
  f.server.faults.add({ type: 'answer', code: 200, body: '<html>please log in</html>' });
  await assert.rejects(f.client.list(ClusterRole), (error) => {
    assert.ok(error instanceof ConnectionError);
    reports(error, 'unintelligible', 'not JSON', 'check that an API server is there');
    return true;
  });
});

test('an address that is none, or that holds a password', () => {
  const clock = new VirtualClock();
  for (const server of ['', 'localhost', 'ftp://host']) {
    assert.throws(() => createHttpClient({ server, source }, { clock }), {
      name: 'ConfigError',
      message: `the server address "${server}" in ${source} is not a URL: write it as https://host:port`,
    });
  }
  const proxied = { server: 'https://host', proxyUrl: 'me:secret@proxy', source };
  assert.throws(() => createHttpClient(proxied, { clock }), {
    name: 'ConfigError',
    message: `the proxy-url of https://host in ${source} is not a URL that can be used: write it as http://host:port`,
  });
  assert.throws(
    () => createHttpClient({ server: 'https://me:secret@host', source }, { clock }),
    (error) => error instanceof ConfigError && !error.message.includes('secret'),
  );
});

test('certificates that are none', async () => {
  await using client = createHttpClient(
    {
      server: 'https://127.0.0.1:1',
      source,
      credentials: async () => ({ certificate: { cert: 'secret', key: 'secret' } }),
    },
    { clock: new VirtualClock() },
  );
  await assert.rejects(client.list(ClusterRole), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /the certificates for context "prod" .* cannot be used/);
    assert.ok(!error.message.includes('secret'));
    return true;
  });
});
