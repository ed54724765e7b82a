import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import type { JsonObject } from '@perigee/schema/json';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { configMap } from './clusters-fixture.ts';

const startClusters = async () => {
  const server = await startEmbeddedServer({ clock: realClock });
  for (const name of ['m1', 'm2']) {
    const { client } = await server.openCluster(name);
    await client.create(ConfigMap, configMap('m', name));
  }
  const { port } = new URL(server.url);
  const get = async (path: string, host = `127.0.0.1:${port}`): Promise<JsonObject> => {
    const sent = request(server.url, { path, headers: { host } });
    sent.end();
    const [response] = await once(sent, 'response');
    const content = await text(response);
    return { code: response.statusCode, ...(content.startsWith('{') ? JSON.parse(content) : {}) };
  };
  return { ...server, port, get, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

const addressIn = ({ serverAddressByClientCIDRs }: JsonObject): unknown =>
  (serverAddressByClientCIDRs as JsonObject[])[0]?.serverAddress;

const coreIn = ({ paths }: JsonObject): string =>
  String((paths as { [path: string]: JsonObject })['api/v1']?.serverRelativeURL);

test('a cluster says of itself how it was reached', async () => {
  await using api = await startClusters();
  const host = `m1.localhost:${api.port}`;
  assert.equal(addressIn(await api.get('/clusters/m1/api')), `127.0.0.1:${api.port}`);
  assert.equal(addressIn(await api.get('/api', host)), host);
  assert.equal(addressIn(await api.get('/api')), `127.0.0.1:${api.port}`);
  const byPath = coreIn(await api.get('/clusters/m1/openapi/v3'));
  const byHost = coreIn(await api.get('/openapi/v3', host));
  assert.match(byPath, /^\/clusters\/m1\/openapi\/v3\/api\/v1\?hash=/);
  assert.equal(`/clusters/m1${byHost}`, byPath);
  assert.equal((await api.get(byPath)).openapi, '3.0.0');
  assert.equal((await api.get(byHost, host)).openapi, '3.0.0');
});

test('host and path lead to the same objects', async () => {
  await using api = await startClusters();
  const map = '/api/v1/namespaces/default/configmaps/m';
  for (const name of ['m1', 'm2']) {
    const expected = { value: name };
    for (const host of [
      `${name}.localhost:${api.port}`,
      `${name}.LocalHost`,
      `${name}.localhost.`,
    ]) {
      assert.deepEqual((await api.get(map, host)).data, expected, host);
    }
    assert.deepEqual((await api.get(`/clusters/${name}${map}`)).data, expected);
  }
  for (const host of [
    'm3.localhost',
    'root.localhost',
    'x.m1.localhost',
    'm1.localhost.example.com',
  ]) {
    assert.equal((await api.get(map, host)).code, 404, host);
  }
  assert.equal((await api.get(`/clusters/m2${map}`, 'm1.localhost')).code, 404);
});

test('clusters without definitions of their own share their documents', async () => {
  await using api = await startClusters();
  const [m1, m2] = ['m1', 'm2'].map((name) => api.cluster(name)?.registry.resources);
  assert.ok(m1 !== undefined && m1.values() === m2?.values());
  const etags = await Promise.all(
    ['m1', 'm2'].map(async (name) => {
      const response = await fetch(`${api.url}/clusters/${name}/openapi/v2`);
      await response.arrayBuffer();
      return response.headers.get('etag');
    }),
  );
  assert.equal(etags[0], etags[1]);
});

test('HTTP/2 finds a cluster by its authority', async () => {
  await using server = await startEmbeddedServer({ clock: realClock, access: 'rbac' });
  const { client } = await server.openCluster('m1');
  await client.create(ConfigMap, configMap('m', 'm1'));
  const { port } = new URL(server.url);
  const { pki } = server;
  const session = connectHttp2(`https://m1.localhost:${port}`, {
    ca: pki?.authority ?? '',
    ...pki?.admin,
    lookup: (_name, options, done) =>
      options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
  });
  const stream = session.request({ ':path': '/api/v1/namespaces/default/configmaps/m' });
  assert.match(await text(stream), /"value":"m1"/);
  const other = session.request({
    ':path': '/api/v1/namespaces',
    ':authority': `m2.localhost:${port}`,
  });
  assert.match(await text(other), /"code":421/);
  for (const host of [`m2.localhost:${port}`, 'localhost', `m1.localhost:${port},m2.localhost`]) {
    const both = session.request({
      ':path': '/version',
      ':authority': `m1.localhost:${port}`,
      host,
    });
    assert.match(await text(both), /"code":400/, host);
  }
  const host = `M1.localhost:${port}`;
  const same = session.request({ ':path': '/version', ':authority': host.toLowerCase(), host });
  assert.match(await text(same), /"gitVersion"/);
  session.close();
});

test('a WebSocket watches the cluster that its host or its path names', async () => {
  await using api = await startClusters();
  const watch = '/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Dm';
  for (const [path, host] of [
    [watch, 'm1.localhost'],
    [`/clusters/m1${watch}`, '127.0.0.1'],
  ] as const) {
    const socket = connect(Number(api.port), '127.0.0.1');
    const head = [
      `GET ${path} HTTP/1.1`,
      `host: ${host}`,
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    let seen = '';
    for await (const part of socket) {
      seen += part;
      if (seen.includes('"value":"m')) break;
    }
    assert.match(seen, /^HTTP\/1.1 101 .*"value":"m1"/s);
    assert.doesNotMatch(seen, /"value":"m2"/);
  }
});
