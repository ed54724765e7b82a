import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { observeInformers } from '../../src/controller/observe-informers.ts';
import { ConnectionError } from '../../src/errors.ts';
import { InformerSet } from '../../src/informer/informer-set.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { at, Thing, thing } from './thing.ts';

test('every step of an informer is counted, and its failures are logged', async () => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Thing], watchList: 'refused' });
  const client = new MemoryClient(cluster);
  const metrics = new Metrics();
  const lines: string[] = [];
  const logger = createLogger({ clock, write: (line) => lines.push(line) });
  await using informers = new InformerSet({
    client,
    clock,
    metrics: observeInformers({ metrics, logger, cluster: 'm1' }),
  });
  informers.for(Thing, { labelSelector: 'a' }).addHandler({
    onDelete: () => {
      throw new Error('no');
    },
  });
  await client.create(Thing, thing('x', { labels: { a: '' } }));
  await clock.advance(0);
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  for (const watch of cluster.watches) watch.repeat();
  cluster.sendBookmarks();
  await clock.advance(0);
  for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  await client.delete(Thing, at('x'));
  cluster.compact();
  await clock.advance(5_000);

  const labels = 'cluster="m1",resource="things.example.com",namespace="",selector="a"';
  const text = metrics.expose();
  for (const sample of [
    `perigee_informer_lists_total{${labels},outcome="finished"} 2`,
    `perigee_informer_list_seconds_count{${labels}} 2`,
    `perigee_informer_watches_total{${labels},outcome="started"} 4`,
    `perigee_informer_watches_total{${labels},outcome="failed"} 3`,
    `perigee_informer_failures_total{${labels},step="watch",reason="Invalid"} 1`,
    `perigee_informer_failures_total{${labels},step="watch",reason="broken"} 1`,
    `perigee_informer_failures_total{${labels},step="watch",reason="Expired"} 1`,
    `perigee_informer_relists_total{${labels},reason="expired"} 1`,
    `perigee_informer_reconnects_total{${labels}} 2`,
    `perigee_informer_events_total{${labels},type="MODIFIED"} 2`,
    `perigee_informer_events_total{${labels},type="DUPLICATE"} 1`,
    `perigee_informer_events_total{${labels},type="BOOKMARK"} 1`,
    `perigee_informer_callback_failures_total{${labels},callback="handler"} 1`,
    `perigee_informer_objects{${labels}} 0`,
    `perigee_informer_resource_version{${labels}} 3`,
  ]) {
    assert.ok(text.includes(`${sample}\n`), `${sample} is not in\n${text}`);
  }
  const records = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    records.map(({ message }) => message),
    [
      'the watch failed; will watch again',
      'the watch failed; will watch again',
      'fetching the whole state again',
      'the handler failed; what it should have done is missing',
    ],
  );
  const { cluster: where, resource, selector, namespace = 'not told' } = records[0];
  assert.deepEqual(
    [where, resource, selector, namespace],
    ['m1', 'things.example.com', 'a', 'not told'],
  );
});
