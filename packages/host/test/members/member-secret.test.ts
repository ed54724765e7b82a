import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { keepMemberSecret, removeMemberSecret } from '../../src/members/member-secret.ts';

const REF = { namespace: 'karmada-cluster', name: 'edge' };

it('the Secret of a member leads into that member, and nowhere else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-member-secret-'));
  await using server = await startEmbeddedServer({ clock, access: 'rbac' });
  try {
    const edge = await server.openCluster('edge');
    const other = await server.openCluster('other');
    await edge.client.create(Namespace, { metadata: { name: 'only-at-the-edge' } });
    assert.deepEqual(await keepMemberSecret(server, 'edge', edge.url), REF);
    // Written again at each start: the certificate is a new one.
    assert.deepEqual(await keepMemberSecret(server, 'edge', edge.url), REF);

    const { data = {} } = await server.client.get(Secret, REF);
    const kubeconfig = Buffer.from(data.kubeconfig ?? '', 'base64').toString();
    const file = join(folder, 'config');
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const config = await loadClusterConfig({
      env: {},
      clock,
      interactive: false,
      kubeconfig: file,
      logger: { warn: assert.fail },
    });
    await using member = createHttpClient(config, { clock });
    const { items } = await member.list(Namespace);
    assert.ok(items.some(({ metadata }) => metadata.name === 'only-at-the-edge'));
    for (const url of [server.url, other.url]) {
      await using elsewhere = createHttpClient({ ...config, server: url }, { clock });
      await assert.rejects(elsewhere.list(Namespace), { name: 'ApiError', code: 401 });
    }

    await removeMemberSecret(server, 'edge');
    await removeMemberSecret(server, 'edge');
    await assert.rejects(server.client.get(Secret, REF), { code: 404 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a server that lets everybody in needs no Secret', async () => {
  await using server = await startEmbeddedServer({ clock });
  const { url } = await server.openCluster('edge');
  assert.equal(await keepMemberSecret(server, 'edge', url), undefined);
  assert.deepEqual((await server.client.list(Secret)).items, []);
});
