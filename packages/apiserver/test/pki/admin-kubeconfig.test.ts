import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { writeAdminKubeconfig } from '../../src/pki/admin-kubeconfig.ts';
import { openPki } from '../../src/pki/pki.ts';
import { secretsInMemory } from '../../src/pki/secret-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-kubeconfig-'));
after(() => rmSync(folder, { recursive: true }));
const pki = openPki({ files: secretsInMemory(), clock: realClock });
const url = 'https://127.0.0.1:6443';

test('it has a context for the control plane and one for each member', async () => {
  const path = join(folder, 'admin.conf');
  writeFileSync(path, 'something else', { mode: 0o644 });
  writeAdminKubeconfig(path, { url, pki, members: ['member1', 'member2'] });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['admin.conf']);
  const servers = [undefined, 'perigee', 'member1', 'member2'].map(async (context) => {
    const config = await loadClusterConfig({
      clock: realClock,
      kubeconfig: path,
      env: {},
      ...(context === undefined ? {} : { context }),
    });
    assert.equal(config.caBundle, pki.authority);
    return config.server;
  });
  assert.deepEqual(await Promise.all(servers), [
    url,
    url,
    `${url}/clusters/member1`,
    `${url}/clusters/member2`,
  ]);
});

test('a member cannot take the name of the control plane', () => {
  const path = join(folder, 'clash.conf');
  for (const name of ['perigee', 'root']) {
    assert.throws(
      () => writeAdminKubeconfig(path, { url, pki, members: [name] }),
      new RegExp(`a member cannot be called ${name}`),
    );
  }
  assert.equal(readdirSync(folder).includes('clash.conf'), false);
});
