import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Metrics } from '@perigee/kube/observe/metrics';
import { at, ConfigMap } from '../registry/registry-fixture.ts';
import { CONFIG_MAPS, serveApi, WIDGETS, widgetBody } from './http-fixture.ts';

const sampler = (api: Awaited<ReturnType<typeof serveApi>>) => async (name: string) => {
  const { text } = await api.call('GET', '/metrics');
  return text.split('\n').filter((line) => line.startsWith(name));
};

test('requests are counted and timed by what they are about', async () => {
  await using api = await serveApi();
  const samples = sampler(api);
  await api.send('POST', WIDGETS, widgetBody('x'));
  await api.send('POST', WIDGETS, widgetBody('x'));
  await api.call('GET', `${WIDGETS}/x`);
  await api.call('GET', WIDGETS);
  await api.call('GET', `${WIDGETS}/x/status`);
  const of = (verb: string, subresource: string, code: number) =>
    `apiserver_request_total{verb="${verb}",group="shop.example.com",version="v1",resource="widgets",subresource="${subresource}",code="${code}"} 1`;
  assert.deepEqual(
    (await samples('apiserver_request_total')).filter((line) => line.includes('widgets')),
    [
      of('GET', '', 200),
      of('GET', 'status', 200),
      of('LIST', '', 200),
      of('POST', '', 201),
      of('POST', '', 409),
    ],
  );
  const counts = await samples('apiserver_request_duration_seconds_count{verb="POST"');
  assert.deepEqual(
    counts.map((line) => line.split(' ').at(-1)),
    ['2'],
  );
  assert.deepEqual(await samples('apiserver_storage_objects{resource="widgets.shop'), [
    'apiserver_storage_objects{resource="widgets.shop.example.com"} 1',
  ]);
  assert.equal((await samples('process_resident_memory_bytes ')).length, 1);
});

test('whatever clients make up adds no labels', async () => {
  await using api = await serveApi();
  const samples = sampler(api);
  await samples('');
  const before = (await samples('apiserver_request_total')).length;
  for (let index = 0; index < 20; index++) {
    await api.call('GET', `/apis/g${index}.example/v1/things`);
    await api.call('GET', `${WIDGETS}/x/part${index}`);
    await api.call('GET', `/page${index}`);
  }
  assert.equal((await samples('apiserver_request_total')).length, before + 3);
});

test('watches and their events are counted', async () => {
  const metrics = new Metrics();
  await using api = await serveApi({ server: { metrics } });
  const samples = sampler(api);
  const stop = new AbortController();
  const path = `${api.server.url}${CONFIG_MAPS}?watch=true`;
  const response = await fetch(path, { signal: stop.signal });
  assert.match(
    (await samples('apiserver_longrunning_requests')).join(),
    /verb="WATCH",group="",version="v1",resource="configmaps",subresource=""} 1$/,
  );
  const reader = response.body?.getReader();
  await api.client.create(ConfigMap, { metadata: at('x') });
  await reader?.read();
  assert.deepEqual(await samples('apiserver_watch_events_total'), [
    'apiserver_watch_events_total{group="",version="v1",resource="configmaps"} 1',
  ]);
  assert.match(metrics.expose(), /apiserver_watch_events_total/);
  const aborted = once(stop.signal, 'abort');
  stop.abort();
  await aborted;
});
