import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineController } from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { Informer } from '@perigee/kube/informer/informer';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { at, ConfigMap, setUpApi, type Thing, Widget } from '../registry/registry-fixture.ts';

test('an informer follows the objects from the first to the last', async () => {
  const { client, clock, widget } = await setUpApi();
  await widget('x');
  await using informer = new Informer<Thing>({ client, clock, kind: Widget });
  informer.start();
  await informer.synced;
  assert.deepEqual(
    informer.list().map(({ metadata }) => metadata.name),
    ['x'],
  );
  await widget('y');
  await client.patch(Widget, at('x'), { type: 'merge', body: { spec: { size: 4 } } });
  await client.delete(Widget, at('y'));
  await clock.advance(0);
  const { metadata, spec } = await client.get(Widget, at('x'));
  const [followed] = informer.list();
  assert.equal(informer.size, 1);
  assert.equal(followed?.metadata.resourceVersion, metadata.resourceVersion);
  assert.deepEqual(followed?.spec, spec);
});

test('an informer outlives the end of its watches and a forgotten version', async () => {
  const { client, clock, widget } = await setUpApi({ history: { events: 2 } });
  await using informer = new Informer<Thing>({ client, clock, kind: Widget });
  informer.start();
  await informer.synced;
  await clock.advance(700_000);
  for (const name of ['x', 'y', 'z', 'u', 'v']) await widget(name);
  await clock.advance(700_000);
  assert.equal(informer.size, 5);
});

test('an informer sees no more than its selection', async () => {
  const { client, clock, widget } = await setUpApi();
  const selection = { labelSelector: 'app=one', namespace: 'a' };
  await using informer = new Informer<Thing>({ client, clock, kind: Widget, selection });
  informer.start();
  await widget('x', { size: 1 }, { labels: { app: 'one' } });
  await widget('y', { size: 1 }, { labels: { app: 'two' } });
  await clock.advance(0);
  assert.equal(informer.size, 1);
  const body = { metadata: { labels: { app: 'two' } } };
  await client.patch(Widget, at('x'), { type: 'merge', body });
  await clock.advance(0);
  assert.equal(informer.size, 0);
});

/** Keeps a ConfigMap of the size of every widget. */
const sizes = defineController({
  name: 'sizes',
  for: Widget,
  watches: [watch(ConfigMap, { map: ({ metadata }) => [metadata] })],
  needsLeader: false,
  async reconcile(ref, { cache, client }) {
    const size = cache(Widget).get(ref)?.spec?.size;
    const map = cache(ConfigMap).get(ref);
    const data = { size: String(size) };
    const namespace = ref.namespace ?? '';
    if (size === undefined) {
      if (map !== undefined) await client.delete(ConfigMap, ref);
    } else if (map === undefined) {
      await client.create(ConfigMap, { metadata: { ...ref, namespace }, data });
    } else if (map.data?.size !== data.size) {
      await client.update(ConfigMap, { ...map, data });
    }
    return undefined;
  },
});

test('a controller brings about what objects say, and repairs it', async () => {
  const { client, clock, widget } = await setUpApi();
  const logger = createLogger({ clock, write: () => {} });
  const manager = new Manager({ client, clock, logger, controllers: [sizes], identity: 'p' });
  await using _ = manager;
  const started = manager.start();
  await widget('x', { size: 3 });
  await clock.advance(1000);
  await started;
  const map = () => client.get(ConfigMap, at('x'));
  assert.deepEqual((await map()).data, { size: '3' });
  await client.patch(Widget, at('x'), { type: 'merge', body: { spec: { size: 4 } } });
  await clock.advance(1000);
  assert.deepEqual((await map()).data, { size: '4' });
  await client.delete(ConfigMap, at('x'));
  await clock.advance(1000);
  assert.deepEqual((await map()).data, { size: '4' });
  await client.delete(Widget, at('x'));
  await clock.advance(1000);
  assert.deepEqual((await client.list(ConfigMap)).items, []);
});
