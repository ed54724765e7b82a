import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { parse } from 'yaml';
import { WRITE_SLICE } from '../../src/registry/entry-slices.ts';
import { CONFIG_MAPS } from '../http/http-fixture.ts';
import { ConfigMap } from '../registry/registry-fixture.ts';
import { FORMS, nameOf, serveMany } from './fairness-fixture.ts';

const COUNT = 2_000;
const SIZE = 1_000;
/** The least number of pieces that such a list is made of. */
const SLICES = Math.floor((COUNT * SIZE) / WRITE_SLICE.bytes);

const nameIn = ({ metadata, object }: JsonObject): unknown => {
  const { metadata: shown = metadata } = isJsonObject(object) ? object : {};
  return (shown as JsonObject).name;
};

const namesIn = (text: string, isYaml: boolean): readonly unknown[] => {
  const list = (isYaml ? parse(text, { maxAliasCount: 0 }) : JSON.parse(text)) as JsonObject;
  return ((list.items ?? list.rows) as readonly JsonObject[]).map(nameIn);
};

const names = Array.from({ length: COUNT }, (_, at) => nameOf(at));

for (const { name, query = '', headers = {} } of FORMS) {
  test(`others are served while a long list is made: ${name}`, async () => {
    await using api = await serveMany(COUNT, SIZE);
    let isListed = false;
    let served = 0;
    const others = async () => {
      while (!isListed) {
        assert.equal((await api.call('GET', `${CONFIG_MAPS}/${nameOf(7)}`)).code, 200);
        served += 1;
      }
    };
    const list = api.call('GET', `${CONFIG_MAPS}?${query}`, { headers }).finally(() => {
      isListed = true;
    });
    const [{ text }] = await Promise.all([list, others()]);
    assert.deepEqual(namesIn(text, name === 'YAML'), names);
    assert.ok(api.counted.yields >= SLICES, `${api.counted.yields} turns for others`);
    assert.ok(served > 3, `${served} others were served`);
  });
}

test('a list is of one moment, whatever happens while it is made', async () => {
  for (const query of ['', 'labelSelector=part%3Done', 'pretty=true']) {
    await using api = await serveMany(COUNT, SIZE);
    const before = api.registry.store.revision;
    const writes: Promise<unknown>[] = [];
    api.counted.onYield = () => {
      const at = api.counted.yields;
      writes.push(api.put(nameOf(COUNT - at), 'new'), api.remove(nameOf(COUNT - at - 500)));
    };
    const { body } = await api.call('GET', `${CONFIG_MAPS}?${query}`);
    api.counted.onYield = () => {};
    await Promise.all(writes);
    assert.ok(writes.length > 4, `${writes.length} writes came in between`);
    assert.equal((body.metadata as JsonObject).resourceVersion, String(before));
    const items = body.items as readonly JsonObject[];
    assert.deepEqual(items.map(nameIn), names);
    assert.ok(items.every(({ data }) => (data as { note: string }).note.length === SIZE));
  }
});

test('pages of a selection are of one moment too', async () => {
  await using api = await serveMany(COUNT, SIZE);
  const found: unknown[] = [];
  api.counted.onYield = () => void api.remove(nameOf(COUNT - api.counted.yields));
  const query = 'labelSelector=part%3Done&limit=1500';
  for (let token = ''; ; ) {
    const path = `${CONFIG_MAPS}?${query}&continue=${encodeURIComponent(token)}`;
    const { body } = await api.call('GET', path);
    found.push(...(body.items as readonly JsonObject[]).map(nameIn));
    token = String((body.metadata as JsonObject).continue ?? '');
    if (token === '') break;
  }
  assert.ok(api.registry.store.count('root//configmaps') < COUNT);
  assert.deepEqual(found, names);
});

test('a client in the process shares its time too', async () => {
  await using api = await serveMany(COUNT, SIZE);
  const { items } = await api.client.list(ConfigMap, { namespace: 'a' });
  assert.equal(items.length, COUNT);
  assert.ok(api.counted.yields > 0);
});

test('a collection is deleted in slices, and others are served in between', async () => {
  await using api = await serveMany(COUNT, SIZE);
  await api.put('other', 'x');
  const left: number[] = [];
  api.counted.onYield = () => left.push(api.registry.store.count('root//configmaps'));
  const { code, body } = await api.call('DELETE', `${CONFIG_MAPS}?labelSelector=part%3Done`);
  assert.equal(code, 200);
  assert.deepEqual((body.items as readonly JsonObject[]).map(nameIn), [...names, 'other']);
  assert.equal(api.registry.store.count('root//configmaps'), 0);
  assert.ok(new Set(left).size >= SLICES, 'it went bit by bit');
});

test('a watch begins in slices, and misses nothing that happens meanwhile', async () => {
  await using api = await serveMany(COUNT, SIZE);
  const stop = new AbortController();
  const writes: Promise<unknown>[] = [];
  api.counted.onYield = () => void writes.push(api.put(`new-${api.counted.yields}`, 'x'));
  const query = 'watch=true&timeoutSeconds=60';
  const { signal } = stop;
  const { body } = await fetch(`${api.server.url}${CONFIG_MAPS}?${query}`, { signal });
  assert.ok(body);
  const seen: unknown[] = [];
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    seen.push(...lines.map((line) => nameIn(JSON.parse(line).object)));
    if (seen.length < COUNT) continue;
    api.counted.onYield = () => {};
    await Promise.all(writes);
    if (seen.length === COUNT + writes.length) break;
  }
  stop.abort();
  assert.ok(writes.length >= SLICES);
  assert.deepEqual(seen.slice(0, COUNT), names);
  assert.deepEqual(
    seen.slice(COUNT),
    writes.map((_, at) => `new-${at + 1}`),
  );
});
