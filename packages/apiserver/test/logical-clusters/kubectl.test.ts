import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { realClock } from '@perigee/kube/clock/real-clock';
import { kubectlBinary } from '../../../../test/clients/client-binaries.ts';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { widgetCrd } from '../crd/widget-crd.ts';

const { path: KUBECTL, skip } = kubectlBinary();
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'perigee-members-'));
after(() => rmSync(folder, { recursive: true }));

/** A proxy that leads to one port, whatever the name: not every machine looks up those below localhost. */
const openTunnel = async (port: number) => {
  const proxy = createServer();
  proxy.on('connect', (_request, socket) => {
    const peer = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(peer).pipe(socket);
    });
    for (const end of [socket, peer]) {
      end.on('error', () => {
        socket.destroy();
        peer.destroy();
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
};

const startWithKubeconfig = async () => {
  const adminKubeconfig = join(mkdtempSync(join(folder, 'server-')), 'admin.conf');
  const server = await startEmbeddedServer({ clock: realClock, access: 'rbac', adminKubeconfig });
  const connection = [
    `--kubeconfig=${adminKubeconfig}`,
    `--cache-dir=${adminKubeconfig}.cache`,
    '--request-timeout=20s',
  ];
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(KUBECTL, [...connection, ...args])).stdout;
  return {
    ...server,
    kubectl,
    connection,
    adminKubeconfig,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

test('the kubeconfig of the administrator follows the members', { skip }, async () => {
  await using api = await startWithKubeconfig();
  const contexts = async () =>
    (await api.kubectl('config', 'get-contexts', '-o=name')).trim().split('\n');
  assert.deepEqual(await contexts(), ['perigee']);
  await api.openCluster('m1');
  await api.openCluster('m2');
  assert.deepEqual(await contexts(), ['m1', 'm2', 'perigee']);
  await api.removeCluster('m1');
  assert.deepEqual(await contexts(), ['m2', 'perigee']);
});

test('kubectl works with members, by path and by host', { skip }, async () => {
  await using api = await startWithKubeconfig();
  await api.openCluster('m1');
  const { port } = new URL(api.url);
  const crd = join(folder, 'crd.json');
  writeFileSync(crd, JSON.stringify(widgetCrd()));
  await using proxy = await openTunnel(Number(port));
  const config = readFileSync(api.adminKubeconfig, 'utf8');
  const changed = (name: string, server: string) => {
    const path = join(folder, name);
    writeFileSync(path, config.replace(`server: ${api.url}/clusters/m1`, server), { mode: 0o600 });
    return path;
  };
  const byHost = changed(
    'by-host.conf',
    `server: https://m1.localhost:${port}\n      proxy-url: ${proxy.url}`,
  );
  const byServerName = changed(
    'by-server-name.conf',
    `server: ${api.url}\n      tls-server-name: m1.localhost`,
  );
  const forms = [[], [`--kubeconfig=${byHost}`], [`--kubeconfig=${byServerName}`]].map((args) => [
    ...args,
    '--context=m1',
  ]);
  for (const [at, form] of forms.entries()) {
    const kubectl = (...args: string[]) => api.kubectl(...form, ...args);
    await kubectl('create', 'configmap', `m${at}`, '--from-literal=a=b');
    assert.match(await kubectl('get', 'configmaps'), new RegExp(`\\nm${at} +1 `));
    await kubectl('apply', '-f', crd);
    await kubectl(
      'wait',
      '--for=condition=Established',
      'crd/widgets.example.com',
      '--timeout=10s',
    );
    assert.match(await kubectl('explain', 'configmap.data'), /FIELD: data/);
    assert.match(await kubectl('api-resources'), /widgets +example.com\/v1/);
    assert.match(await kubectl('auth', 'whoami'), /perigee-admin/);
    const watching = spawn(KUBECTL, [
      ...api.connection,
      ...form,
      'get',
      'configmap',
      `m${at}`,
      '--watch',
      '-o=jsonpath={.data.a}{"\\n"}',
    ]);
    const lines = createInterface(watching.stdout)[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'b');
    await kubectl('patch', 'configmap', `m${at}`, '--type=merge', '-p={"data":{"a":"c"}}');
    assert.equal((await lines.next()).value, 'c');
    watching.kill();
    await kubectl('delete', 'crd', 'widgets.example.com');
  }
  assert.doesNotMatch(await api.kubectl('get', 'configmaps'), /\nm[012] /);
});
