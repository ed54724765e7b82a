import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';

test('what clusters begin with is written as it is kept, and nobody shares a uid', async () => {
  await using store = createMemoryStore();
  await using server = await startEmbeddedServer({
    clock: realClock,
    store,
    access: 'rbac',
    listener: 'none',
  });
  for (const name of ['one', 'two']) await server.openCluster(name);
  const entriesOf = (cluster: string) =>
    store.tables(`${cluster}/`).flatMap((table) => store.range(table).entries);
  const entries = [...entriesOf('one'), ...entriesOf('two')];
  for (const { bytes, object, revision } of entries) {
    assert.deepEqual(JSON.parse(bytes.toString()), object);
    const { resourceVersion } = object.metadata as { readonly resourceVersion: string };
    assert.equal(resourceVersion, String(revision));
  }
  const uids = entries.map(({ object }) => (object.metadata as { readonly uid: string }).uid);
  assert.equal(new Set(uids).size, entries.length);
  const names = (cluster: string) => store.range(`${cluster}//serviceaccounts`).entries.length;
  assert.equal(names('one'), 4);
  assert.equal(entriesOf('one').length, entriesOf('two').length);
});
