import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { startServer } from '../embedded/embedded-fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const HISTORY = 'perigee.io/history';

/** A real clock whose time of day can be moved on. */
const movableClock = () => {
  let ahead = 0;
  const clock: Clock = { ...realClock, now: () => realClock.now() + ahead };
  return {
    clock,
    move: (ms: number) => {
      ahead += ms;
    },
  };
};

const versionOf = ({ metadata }: JsonObject): string =>
  String((metadata as JsonObject).resourceVersion);

/** One object that was created, changed and deleted, ten seconds apart, in a member. */
const setUp = async () => {
  const { clock, move } = movableClock();
  const api = await startServer({ clock });
  await api.openCluster('m1');
  const maps = `/clusters/m1${MAPS}`;
  move(10_000);
  const created = await api.send('POST', maps, {
    metadata: { name: 'm' },
    data: { a: '1', b: '1' },
  });
  const createdAt = formatTime(clock.now());
  move(10_000);
  const patch = { data: { a: '2', b: null } };
  const changed = await api.send('PATCH', `${maps}/m`, patch, MERGE);
  const changedAt = formatTime(clock.now());
  move(10_000);
  await api.send('POST', maps, { metadata: { name: 'm2' }, data: { a: 'other' } });
  await api.send('DELETE', `${maps}/m`);
  move(10_000);
  return {
    ...api,
    maps,
    created: created.body,
    changed: changed.body,
    createdAt,
    changedAt,
    clock,
  };
};

test('an object can be read as it was at a version', async () => {
  await using api = await setUp();
  const at = (version: string) =>
    api.send('GET', `${api.maps}/m?resourceVersion=${version}&resourceVersionMatch=Exact`);
  assert.deepEqual((await at(versionOf(api.created))).body, api.created);
  assert.deepEqual((await at(versionOf(api.changed))).body, api.changed);
  assert.equal((await at(String(Number(versionOf(api.created)) - 1))).code, 404);
  assert.equal((await at(String(api.registry.store.revision))).code, 404);
  assert.equal((await at('99999')).code, 504);
  assert.equal((await at('0')).code, 422);
  assert.equal((await api.send('GET', `${api.maps}/m?resourceVersionMatch=Exact`)).code, 422);
});

test('objects and lists can be read as they were at a time', async () => {
  await using api = await setUp();
  const dataAt = async (time: string) => {
    const query = `perigee.io/at=${time}`;
    const { code, body } = await api.send('GET', `${api.maps}/m?${query}`);
    const list = await api.send('GET', `${api.maps}?${query}&fieldSelector=metadata.name%3Dm`);
    const items = list.body.items as JsonObject[] | undefined;
    assert.deepEqual(items?.[0]?.data, body.data);
    return body.data ?? code;
  };
  assert.deepEqual(await dataAt(api.createdAt), { a: '1', b: '1' });
  assert.deepEqual(await dataAt(formatTime(Date.parse(api.createdAt) + 5000)), { a: '1', b: '1' });
  assert.deepEqual(await dataAt(api.changedAt), { a: '2' });
  assert.equal(await dataAt(formatTime(api.clock.now())), 404);
  const refused = async (query: string) => (await api.send('GET', `${api.maps}?${query}`)).code;
  assert.equal(await refused('perigee.io/at=2001-01-01T00:00:00Z'), 410);
  assert.equal(await refused('perigee.io/at=2999-01-01T00:00:00Z'), 400);
  assert.equal(await refused('perigee.io/at=yesterday'), 400);
  assert.equal(await refused(`perigee.io/at=${api.createdAt}&resourceVersion=1`), 400);
});

test('the changes of an object are told with their versions and times', async () => {
  await using api = await setUp();
  const { code, body } = await api.send('GET', `${api.maps}/m?${HISTORY}=objects`);
  assert.equal(code, 200);
  assert.equal(body.kind, 'ObjectHistory');
  const changes = body.changes as JsonObject[];
  assert.deepEqual(changes.slice(0, 2), [
    {
      type: 'ADDED',
      resourceVersion: versionOf(api.created),
      time: api.createdAt,
      object: api.created,
    },
    {
      type: 'MODIFIED',
      resourceVersion: versionOf(api.changed),
      time: api.changedAt,
      object: api.changed,
    },
  ]);
  assert.equal(changes.length, 3);
  assert.deepEqual([changes[2]?.type, changes[2]?.object], ['DELETED', undefined]);
  assert.equal((await api.send('GET', `${api.maps}/none?${HISTORY}=objects`)).code, 404);
  assert.equal((await api.send('GET', `${MAPS}/m?${HISTORY}=objects`)).code, 404);
  assert.equal((await api.send('GET', `${api.maps}/m?${HISTORY}=true`)).code, 400);
});

test('as patches, each change tells what differs from the state before', async () => {
  await using api = await setUp();
  const { body } = await api.send('GET', `${api.maps}/m?${HISTORY}=patches`);
  const [added, modified] = body.changes as JsonObject[];
  assert.deepEqual(added?.object, api.created);
  const { metadata, ...patch } = (modified?.patch ?? {}) as JsonObject;
  assert.deepEqual(patch, { data: { a: '2', b: null } });
  assert.equal((metadata as JsonObject).resourceVersion, versionOf(api.changed));
});

test('a history that began before what is kept begins with the oldest known state', async () => {
  await using store = createMemoryStore({ history: { events: 2 } });
  await using api = await startServer({ store, clusterControllers: false });
  const of = async () => (await api.send('GET', `${MAPS}/m?${HISTORY}=objects`)).body;
  await api.send('POST', MAPS, { metadata: { name: 'm' }, data: { a: '0' } });
  for (const a of ['1', '2', '3']) await api.send('PATCH', `${MAPS}/m`, { data: { a } }, MERGE);
  const { base, changes } = await of();
  assert.deepEqual((base as JsonObject).data, { a: '1' });
  assert.deepEqual(
    (changes as JsonObject[]).map(({ object }) => (object as JsonObject).data),
    [{ a: '2' }, { a: '3' }],
  );
  const { resourceVersion } = (await of()).since as JsonObject;
  const old = `resourceVersion=${Number(resourceVersion) - 1}&resourceVersionMatch=Exact`;
  assert.equal((await api.send('GET', `${MAPS}/m?${old}`)).code, 410);
  for (const a of ['x', 'y']) await api.send('POST', MAPS, { metadata: { name: a } });
  const quiet = await of();
  assert.deepEqual([(quiet.base as JsonObject).data, quiet.changes], [{ a: '3' }, []]);
});
