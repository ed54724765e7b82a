import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListOptions } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { at, ConfigMap, Namespace, refused, setUpApi, Widget } from './registry-fixture.ts';

const setUpList = async (count = 5, options = {}) => {
  const api = await setUpApi(options);
  for (let index = 0; index < count; index++) {
    const labels = { parity: index % 2 === 0 ? 'even' : 'odd' };
    const colour = index % 3 === 0 ? 'blue' : 'red';
    await api.widget(`w${index}`, { size: index + 1, colour }, { labels });
  }
  const names = async (list: ListOptions = {}) =>
    (await api.client.list(Widget, list)).items.map(({ metadata }) => metadata.name);
  return { ...api, names };
};

test('a list has the objects of a namespace, by label and by field', async () => {
  const { client, widget, names, registry } = await setUpList();
  await client.create(Namespace, { metadata: { name: 'b' } });
  await widget('other', { size: 1 }, { namespace: 'b' });
  const list = await client.list(Widget);
  assert.equal(list.metadata.resourceVersion, String(registry.store.revision));
  assert.equal(list.items.length, 6);
  assert.equal((await names({ namespace: 'a' })).length, 5);
  assert.deepEqual(await names({ labelSelector: 'parity=odd' }), ['w1', 'w3']);
  assert.deepEqual(await names({ labelSelector: 'parity in (odd),!gone' }), ['w1', 'w3']);
  assert.deepEqual(await names({ labelSelector: 'parity=odd,parity in (odd,even)' }), ['w1', 'w3']);
  await widget('quoted', { size: 1 }, { annotations: { parity: 'odd', text: '"parity":"odd"' } });
  assert.deepEqual(await names({ labelSelector: 'parity=odd' }), ['w1', 'w3']);
  await client.delete(Widget, at('quoted'));
  assert.deepEqual(await names({ fieldSelector: 'spec.colour=blue' }), ['w0', 'w3']);
  assert.deepEqual(await names({ fieldSelector: 'metadata.name=w3', namespace: 'a' }), ['w3']);
  assert.deepEqual(await names({ fieldSelector: 'metadata.name=w3' }), ['w3']);
  const both = { fieldSelector: 'metadata.name=w3', labelSelector: 'parity=even', namespace: 'a' };
  assert.deepEqual(await names(both), []);
  assert.deepEqual(await names({ namespace: 'nowhere' }), []);
  await assert.rejects(
    names({ fieldSelector: 'spec.size=1' }),
    refused(400, 'BadRequest', 'field label not supported: spec.size'),
  );
  await assert.rejects(names({ labelSelector: 'a in' }), refused(400, 'BadRequest'));
});

test('pages are of one moment, whatever is written between them', async () => {
  const { client, widget } = await setUpList();
  const first = await client.list(Widget, { limit: 2 });
  assert.equal(first.metadata.remainingItemCount, 3);
  await widget('w22');
  await client.delete(Widget, at('w3'));
  const token = first.metadata.continue;
  assert.ok(token);
  const second = await client.list(Widget, { limit: 2, continue: token });
  assert.deepEqual(
    second.items.map(({ metadata }) => metadata.name),
    ['w2', 'w3'],
  );
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  assert.equal(second.metadata.remainingItemCount, 1);
  const rest = second.metadata.continue;
  assert.ok(rest);
  const third = await client.list(Widget, { limit: 2, continue: rest });
  assert.deepEqual(
    third.items.map(({ metadata }) => metadata.name),
    ['w4'],
  );
  assert.equal(third.metadata.continue, undefined);
  assert.equal(third.metadata.remainingItemCount, undefined);
});

test('pages of a selection are full and do not say how much remains', async () => {
  const { client } = await setUpList(7);
  const options = { limit: 2, labelSelector: 'parity=even' };
  const first = await client.list(Widget, options);
  assert.deepEqual(
    first.items.map(({ metadata }) => metadata.name),
    ['w0', 'w2'],
  );
  assert.equal(first.metadata.remainingItemCount, undefined);
  const token = first.metadata.continue;
  assert.ok(token);
  const second = await client.list(Widget, { ...options, continue: token });
  assert.deepEqual(
    second.items.map(({ metadata }) => metadata.name),
    ['w4', 'w6'],
  );
});

test('an exact version shows that moment; a future one has to be waited for', async () => {
  const { client, names } = await setUpList(2);
  const { resourceVersion } = (await client.list(Widget)).metadata;
  await client.delete(Widget, at('w0'));
  assert.deepEqual(await names({ resourceVersion, resourceVersionMatch: 'Exact' }), ['w0', 'w1']);
  assert.deepEqual(await names({ resourceVersion, resourceVersionMatch: 'NotOlderThan' }), ['w1']);
  assert.deepEqual(await names({ resourceVersion: '0' }), ['w1']);
  await assert.rejects(names({ resourceVersion: '999' }), (error: unknown) => {
    assert.ok(refused(504, 'Timeout', /Too large resource version: 999/)(error));
    const causes = error instanceof ApiError ? error.status.details?.causes : undefined;
    assert.equal(causes?.[0]?.reason, 'ResourceVersionTooLarge');
    return true;
  });
  await assert.rejects(names({ resourceVersion: 'x' }), refused(400, 'BadRequest'));
  await assert.rejects(
    names({ resourceVersion: '0', resourceVersionMatch: 'Exact' }),
    refused(422, 'Invalid', /forbidden for resourceVersion "0"/),
  );
  await assert.rejects(names({ resourceVersionMatch: 'Exact' }), refused(422, 'Invalid'));
  await assert.rejects(names({ continue: 'nonsense' }), refused(400, 'BadRequest'));
  await assert.rejects(
    client.get(Widget, at('w1'), { resourceVersion: '999' }),
    refused(504, 'Timeout'),
  );
});

test('a moment that is forgotten is gone, with a token to go on from now', async () => {
  const { client, names } = await setUpList(4, { history: { events: 4 } });
  const first = await client.list(Widget, { limit: 2 });
  const { resourceVersion } = first.metadata;
  for (let index = 0; index < 10; index++) {
    await client.create(ConfigMap, { metadata: at(`m${index}`) });
  }
  await client.delete(Widget, at('w2'));
  await assert.rejects(
    names({ resourceVersion, resourceVersionMatch: 'Exact' }),
    refused(410, 'Expired', 'The resourceVersion for the provided list is too old.'),
  );
  const token = first.metadata.continue;
  assert.ok(token);
  const error = await client.list(Widget, { continue: token }).then(
    () => assert.fail('the token should be too old'),
    (reason: unknown) => reason,
  );
  assert.ok(refused(410, 'Expired', /The provided continue parameter is too old/)(error));
  const { status } = error as ApiError & { status: { metadata: { continue: string } } };
  assert.deepEqual(await names({ continue: status.metadata.continue }), ['w3']);
});
