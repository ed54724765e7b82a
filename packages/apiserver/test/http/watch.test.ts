import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import { at, ConfigMap, Widget } from '../registry/registry-fixture.ts';
import { CONFIG_MAPS, serveApi, WIDGETS } from './http-fixture.ts';

interface Event {
  readonly type: string;
  readonly object: JsonObject & { readonly metadata: JsonObject };
}

/** The events of a watch as they come. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  assert.ok(response.body);
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Event;
  }
}

const briefly = ({ type, object }: Event): string =>
  `${type} ${object.metadata.name ?? '-'}@${object.metadata.resourceVersion}`;

const take = async (events: AsyncGenerator<Event>, count: number): Promise<readonly Event[]> => {
  const taken: Event[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
};

const setUp = async (given: Parameters<typeof serveApi>[0] = {}) => {
  const api = await serveApi(given);
  const stop = new AbortController();
  const watch = async (path: string, headers: { [name: string]: string } = {}) => {
    const response = await fetch(api.server.url + path, { headers, signal: stop.signal });
    return { response, events: eventsOf(response) };
  };
  const map = (name: string, labels: { [name: string]: string } = {}) =>
    api.client.create(ConfigMap, { metadata: { ...at(name), labels } });
  return {
    ...api,
    watch,
    map,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await api[Symbol.asyncDispose]();
    },
  };
};

test('a watch begins with what is there and goes on with what happens', async () => {
  await using api = await setUp();
  await api.map('x');
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const { response, events } = await api.watch(`${CONFIG_MAPS}?${query}&allowWatchBookmarks=true`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json');
  const [first, end] = await take(events, 2);
  assert.ok(first && end);
  assert.equal(briefly(first), 'ADDED x@2');
  assert.deepEqual(end, {
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: '2', annotations: { 'k8s.io/initial-events-end': 'true' } },
    },
  });
  await api.map('y');
  await api.client.delete(ConfigMap, at('x'));
  assert.deepEqual((await take(events, 2)).map(briefly), ['ADDED y@3', 'DELETED x@4']);
});

test('a bookmark has the form that was asked for', async () => {
  await using api = await setUp();
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  for (const kind of ['PartialObjectMetadata', 'Table']) {
    const accept = `application/json;as=${kind};g=meta.k8s.io;v=v1`;
    const path = `${CONFIG_MAPS}?${query}&allowWatchBookmarks=true`;
    const { events } = await api.watch(path, { accept });
    const [bookmark] = await take(events, 1);
    assert.deepEqual(
      [bookmark?.type, bookmark?.object.kind, bookmark?.object.apiVersion],
      ['BOOKMARK', kind, 'meta.k8s.io/v1'],
    );
    assert.ok(bookmark?.object.metadata.resourceVersion);
  }
});

test('watches of one name, one namespace or one label see no more than that', async () => {
  await using api = await setUp();
  const byName = await api.watch(`${CONFIG_MAPS}/x?watch=1&resourceVersion=1`);
  const byField = await api.watch(
    `${CONFIG_MAPS}?watch=1&resourceVersion=1&fieldSelector=metadata.name%3Dx`,
  );
  const byLabel = await api.watch('/api/v1/configmaps?watch=1&resourceVersion=1&labelSelector=a');
  await api.map('y', { a: 'b' });
  await api.map('x');
  await api.client.patch(ConfigMap, at('y'), {
    type: 'merge',
    body: { metadata: { labels: { a: null } } },
  });
  for (const { events } of [byName, byField]) {
    assert.deepEqual((await take(events, 1)).map(briefly), ['ADDED x@3']);
  }
  assert.deepEqual((await take(byLabel.events, 2)).map(briefly), ['ADDED y@2', 'DELETED y@4']);
});

test('watches that look alike get the same, each in its own form', async () => {
  await using api = await setUp();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const path = `${WIDGETS}?watch=true&resourceVersion=1`;
  const plain = [await api.watch(path), await api.watch(path), await api.watch(path)];
  const tables = [await api.watch(path, { accept }), await api.watch(path, { accept })];
  for (const [name, size] of [
    ['x', 1],
    ['y', 2],
  ] as const) {
    await api.client.create(Widget, { metadata: at(name), spec: { size } });
  }
  for (const { events } of plain) {
    assert.deepEqual((await take(events, 2)).map(briefly), ['ADDED x@2', 'ADDED y@3']);
  }
  for (const { events } of tables) {
    const [first, second] = await take(events, 2);
    assert.equal(first?.object.kind, 'Table');
    assert.ok(Array.isArray(first.object.columnDefinitions));
    assert.equal(second?.object.columnDefinitions, null, 'columns are told once');
    const [row] = second.object.rows as { cells: unknown[] }[];
    assert.deepEqual(row?.cells.slice(0, 2), ['y', 2]);
  }
});

test('a version that is forgotten is told by an event, a senseless request by a Status', async () => {
  await using api = await setUp({ store: { history: { events: 2 } } });
  for (const name of ['u', 'v', 'w', 'x', 'y']) await api.map(name);
  const { response, events } = await api.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=1`);
  assert.equal(response.status, 200);
  const [gone, ...rest] = await take(events, 2);
  assert.equal(rest.length, 0, 'the stream ends');
  assert.equal(gone?.type, 'ERROR');
  assert.deepEqual([gone.object.reason, gone.object.code], ['Expired', 410]);
  const senseless = await api.call('GET', `${CONFIG_MAPS}?watch=true&sendInitialEvents=true`);
  assert.deepEqual([senseless.code, senseless.body.reason], [422, 'Invalid']);
  const future = await api.call('GET', `${CONFIG_MAPS}?watch=true&resourceVersion=999`);
  assert.deepEqual([future.code, future.body.reason], [504, 'Timeout']);
  assert.equal(future.headers.get('retry-after'), '1');
});

test('a watch ends when its time is up', async () => {
  await using api = await setUp();
  const { events } = await api.watch(`${CONFIG_MAPS}?watch=true&timeoutSeconds=1`);
  assert.deepEqual(await take(events, 1), []);
});

test('a reader that does not read is let go, and others get everything', async () => {
  await using api = await setUp({ store: { backlog: { events: 50 } } });
  const path = `${CONFIG_MAPS}?watch=true&resourceVersion=1`;
  const slow = await api.watch(path);
  const quick = await api.watch(path);
  const text = 'x'.repeat(500_000);
  const count = 120;
  const names = Array.from({ length: count }, (_, index) => `m${index}`);
  for (const name of names) {
    await api.client.create(ConfigMap, { metadata: at(name), data: { text } });
    const [event] = await take(quick.events, 1);
    assert.equal(event?.object.metadata.name, name);
  }
  const late = await take(slow.events, count);
  assert.ok(late.length < count, 'the slow watch was ended');
  assert.deepEqual(
    late.map(({ object }) => object.metadata.name),
    names.slice(0, late.length),
    'what it got has no gap',
  );
});

test('a crowd that watches the same is told at once after a pause, and then of several changes together', async () => {
  const clock = new VirtualClock();
  await using api = await setUp({ clock });
  const crowd = await Promise.all(
    Array.from({ length: 60 }, () => api.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=1`)),
  );
  const told = async (count: number): Promise<readonly (readonly string[])[]> =>
    Promise.all(crowd.map(async ({ events }) => (await take(events, count)).map(briefly)));
  await api.map('x');
  assert.deepEqual(
    await told(1),
    crowd.map(() => ['ADDED x@2']),
  );
  await api.map('y');
  await api.map('z');
  const rest = told(2);
  const isEarly = await Promise.race([rest.then(() => true), api.call('GET', CONFIG_MAPS)]);
  assert.notEqual(isEarly, true);
  await clock.advance(1);
  assert.deepEqual(
    await rest,
    crowd.map(() => ['ADDED y@3', 'ADDED z@4']),
  );
});
