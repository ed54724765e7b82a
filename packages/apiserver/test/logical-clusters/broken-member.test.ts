import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

const setUp = () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-broken-'));
  const logged: string[] = [];
  const logger = createLogger({
    clock: realClock,
    level: 'error',
    write: (line) => void logged.push(line),
  });
  const start = () =>
    startEmbeddedServer({
      clock: realClock,
      logger,
      access: 'rbac',
      listener: 'none',
      dataFolder: folder,
    });
  const keyOf = (name: string): string => join(folder, 'pki', `sa-${name}.key`);
  return { folder, logged, start, keyOf };
};

test('a member that cannot be started keeps no other from it, and says why', async (t) => {
  const { folder, logged, start, keyOf } = setUp();
  t.after(() => rmSync(folder, { recursive: true }));
  {
    await using server = await start();
    for (const name of ['one', 'two']) await server.openCluster(name);
  }
  chmodSync(keyOf('one'), 0o644);
  await using server = await start();
  assert.equal(server.cluster('one'), undefined);
  assert.notEqual(server.cluster('two'), undefined);
  assert.deepEqual(server.clusters, ['one', 'two']);
  assert.match(server.clusterProblems.get('one')?.message ?? '', /sa-one\.key is open to others/);
  assert.match(logged.join(''), /member cluster could not be started.*one/);
  await assert.rejects(server.openCluster('one'), /is open to others/);

  chmodSync(keyOf('one'), 0o600);
  await server.openCluster('one');
  assert.equal(server.clusterProblems.size, 0);
});

test('a member that is removed leaves no key behind', async (t) => {
  const { folder, start, keyOf } = setUp();
  t.after(() => rmSync(folder, { recursive: true }));
  await using server = await start();
  await server.openCluster('one');
  assert.ok(existsSync(keyOf('one')));
  await server.removeCluster('one');
  assert.ok(!existsSync(keyOf('one')));
});
