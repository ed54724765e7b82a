import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { listAll } from '../../src/client/list-all.ts';
import { listPages } from '../../src/client/list-pages.ts';
import { isGone } from '../../src/errors.ts';
import { type Fixture, startFixture } from '../support/tls-api-server-fixture.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

const startWithRoles = async (): Promise<Fixture> => {
  const f = await startFixture();
  for (const name of names) await f.direct.create(ClusterRole, { metadata: { name } });
  return f;
};

const namesOf = (items: readonly { readonly metadata: { readonly name: string } }[]): string[] =>
  items.map(({ metadata }) => metadata.name);

test('pages are of one moment, whatever is written in between', async () => {
  await using f = await startWithRoles();
  const pages: string[][] = [];
  const versions = new Set<string>();
  for await (const { items, metadata } of listPages(f.client, ClusterRole, {
    limit: 2,
    resourceVersion: '0',
  })) {
    pages.push(namesOf(items));
    versions.add(metadata.resourceVersion);
    await f.direct.create(ClusterRole, { metadata: { name: `z${pages.length}` } });
  }
  assert.deepEqual(pages, [['a', 'b'], ['c', 'd'], ['e']]);
  assert.equal(versions.size, 1);
  assert.deepEqual(
    f.server.requests.map(({ query }) => query.has('resourceVersion')),
    [true, false, false],
  );
});

test('leaving the loop asks for no further page', async () => {
  await using f = await startWithRoles();
  for await (const _ of listPages(f.client, ClusterRole, { limit: 2 })) break;
  assert.equal(f.server.requests.length, 1);
});

test('all pages make one list', async () => {
  await using f = await startWithRoles();
  const list = await listAll(f.client, ClusterRole, { limit: 2 });
  assert.deepEqual(namesOf(list.items), names);
  assert.deepEqual(list.metadata, { resourceVersion: '5' });
  assert.equal(f.server.requests.length, 3);
});

test('a moment that expires between two pages is told, and listing all begins again in one piece', async () => {
  await using f = await startWithRoles();
  const expire = async () => {
    await f.direct.create(ClusterRole, { metadata: { name: 'z' } });
    f.cluster.compact();
  };
  const pages = listPages(f.client, ClusterRole, { limit: 2 });
  await pages.next();
  await expire();
  await assert.rejects(pages.next(), isGone);

  await f.direct.delete(ClusterRole, { name: 'z' });
  const list = f.client.list.bind(f.client);
  let asked = 0;
  const expiring: Pick<typeof f.client, 'list'> = {
    list: async (kind, options) => {
      const page = await list(kind, options);
      if (++asked === 1) await expire();
      return page;
    },
  };
  assert.deepEqual(namesOf((await listAll(expiring, ClusterRole, { limit: 2 })).items), [
    ...names,
    'z',
  ]);
  assert.equal(f.server.requests.at(-1)?.query.has('limit'), false);
});
