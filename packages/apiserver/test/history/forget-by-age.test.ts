import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from '../embedded/embedded-fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

const setUp = async (historyAgeMs?: number) => {
  const clock = new VirtualClock({ seed: 1 });
  const api = await startServer({ clock, ...(historyAgeMs === undefined ? {} : { historyAgeMs }) });
  for (let at = 0; at < 6; at++) {
    await api.send('POST', MAPS, { metadata: { name: `map-${at}`, labels: { own: 'yes' } } });
  }
  const page = (token = '') =>
    api.send('GET', `${MAPS}?labelSelector=own&limit=2${token && `&continue=${token}`}`);
  return { ...api, clock, page, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
};

const metaOf = ({ body }: { readonly body: JsonObject }) =>
  body.metadata as { readonly continue?: string; readonly resourceVersion: string };
const namesOf = ({ body }: { readonly body: JsonObject }) =>
  (body.items as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

test('a page of a past that is forgotten by its age goes on in the present', async () => {
  await using api = await setUp(60_000);
  const { page, clock } = api;
  const first = await page();
  const { continue: token = '', resourceVersion } = metaOf(first);
  await clock.advance(30_000);
  assert.deepEqual(namesOf(await page(token)), ['map-2', 'map-3']);

  // Nothing is written in the meantime but what forgetting itself writes.
  await clock.advance(180_000);
  const gone = await page(token);
  assert.equal(gone.code, 410);
  assert.equal(gone.body.reason, 'Expired');
  const onward = await page(metaOf(gone).continue);
  assert.deepEqual(namesOf(onward), ['map-2', 'map-3']);
  assert.notEqual(metaOf(onward).resourceVersion, resourceVersion);
  const last = await page(metaOf(onward).continue);
  assert.deepEqual(namesOf(last), ['map-4', 'map-5']);
  assert.equal(metaOf(last).resourceVersion, metaOf(onward).resourceVersion);
});

test('without an age the past is kept as long as there is room for it', async () => {
  await using api = await setUp();
  const { page, clock } = api;
  const { continue: token = '' } = metaOf(await page());
  await api.send('POST', MAPS, { metadata: { name: 'map-3a', labels: { own: 'yes' } } });
  await clock.advance(24 * 3_600_000);
  assert.deepEqual(namesOf(await page(token)), ['map-2', 'map-3']);
});

test('an age that leaves no past is refused', async () => {
  await assert.rejects(setUp(0), /at least 1000 ms, not 0/);
});
