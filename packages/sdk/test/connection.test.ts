import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { connectionBy } from '../src/connection.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a connection by a kubeconfig that has the control plane alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-sdk-'));
  let server: EmbeddedServer;

  before(async () => {
    server = await startEmbeddedServer({ clock, access: 'rbac' });
    const { client } = await server.openCluster('edge');
    await client.create(Namespace, { metadata: { name: 'only-at-the-edge' } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const connect = (user: string, groups: readonly string[]) => {
    const { pki, url } = server;
    assert.ok(pki);
    const { cert, key } = pki.issueClient({ user, groups, clusters: ['root'] });
    const kubeconfig = join(folder, user);
    const cluster = { server: url, 'certificate-authority-data': base64(pki.authority) };
    const keys = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'control', cluster }],
      users: [{ name: user, user: keys }],
      contexts: [{ name: 'control', context: { cluster: 'control', user } }],
      'current-context': 'control',
    };
    writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
    return connectionBy({ kubeconfig });
  };

  it('reaches members through it', async () => {
    await using connection = connect('boss', ['system:masters']);
    const member = await connection.member('edge');
    const { items } = await member.list(Namespace);
    assert.ok(items.some(({ metadata }) => metadata.name === 'only-at-the-edge'));
  });

  it('says so when it does not let somebody through, and when there is no such member', async () => {
    await using nobody = connect('nobody', []);
    await assert.rejects(nobody.member('edge'), /no context of that name.*clusters\/proxy/);
    await using connection = connect('boss', ['system:masters']);
    await assert.rejects(connection.member('ghost'), /no virtual member "ghost"/);
  });
});
