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
