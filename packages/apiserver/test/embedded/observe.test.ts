import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from './embedded-fixture.ts';

test('the flushes of the store are among the metrics', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'perigee-observe-'));
  try {
    await using server = await startServer({ dataFolder });
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const [, count] = /^apiserver_store_flush_duration_seconds_count (\d+)$/m.exec(text) ?? [];
    assert.ok(Number(count) > 0, text.slice(0, 500));
    assert.match(text, /^apiserver_storage_objects\{resource="namespaces"\} 4$/m);
  } finally {
    await rm(dataFolder, { recursive: true });
  }
});

test('an empty list of owners forgets them, for built-in kinds too', async () => {
  await using server = await startServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const map = { metadata: { name: 'x' }, data: { k: 'v' } };
  const { body: made } = await server.send('POST', path, map);
  assert.ok((made.metadata as { managedFields?: unknown }).managedFields);
  const { body } = await server.send('PUT', `${path}/x`, {
    ...map,
    metadata: { name: 'x', managedFields: [] },
  });
  assert.equal((body.metadata as { managedFields?: unknown }).managedFields, undefined);
});

test('the controllers of the control plane tell what they do, and what they cannot', async () => {
  await using server = await startServer();
  await server.openCluster('m1');
  const read = async (path: string) => (await fetch(server.url + path)).text();
  const metrics = await read('/metrics');
  assert.match(
    metrics,
    /^controller_runtime_reconcile_errors_total\{controller="namespaces"\} 0$/m,
  );
  assert.match(metrics, /^workqueue_depth\{name="namespaces"\} \d+$/m);
  assert.doesNotMatch(await read('/clusters/m1/metrics'), /controller_runtime/);
  assert.deepEqual(JSON.parse(await read('/controllers')), { troubles: [], uncounted: 0 });
  const subject = { controller: 'namespaces', object: 'a', problem: 'failing' } as const;
  server.troubles.note(subject, new Error('broken'));
  const { troubles } = JSON.parse(await read('/controllers'));
  assert.deepEqual(
    { ...troubles[0], since: '' },
    { ...subject, message: 'broken', times: 1, since: '' },
  );
  assert.equal((await server.send('POST', '/controllers', {})).code, 405);
  assert.equal((await fetch(`${server.url}/clusters/m1/controllers`)).status, 404);
});
