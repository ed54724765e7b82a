import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, refused, setUpApi, Widget } from './registry-fixture.ts';

const setUpApply = async () => {
  const api = await setUpApi();
  const apply = (fieldManager: string, body: object, force = false, options = {}) =>
    api.client.patch(Widget, at('x'), { type: 'apply', fieldManager, force, body }, options);
  return { ...api, apply };
};

test('an apply creates, changes, and lets go of what it no longer wants', async () => {
  const { apply, registry } = await setUpApply();
  const first = await apply('one', { metadata: { labels: { a: 'b' } }, spec: { size: 2 } });
  assert.deepEqual(first.spec, { size: 2, colour: 'red' });
  assert.equal(first.metadata.generation, 1);
  assert.deepEqual(
    first.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`),
    ['one Apply'],
  );
  const { revision } = registry.store;
  const again = await apply('one', { metadata: { labels: { a: 'b' } }, spec: { size: 2 } });
  assert.equal(again.metadata.resourceVersion, first.metadata.resourceVersion);
  assert.equal(registry.store.revision, revision, 'the same wish changes nothing');
  const less = await apply('one', { spec: { size: 3 } });
  assert.equal(less.metadata.labels, undefined);
  assert.equal(less.spec?.size, 3);
  assert.equal(less.metadata.generation, 2);
});

test('a field of another manager is a conflict, unless it is forced', async () => {
  const { apply } = await setUpApply();
  await apply('one', { spec: { size: 2 } });
  await assert.rejects(
    apply('two', { spec: { size: 3 } }),
    refused(409, 'Conflict', 'Apply failed with 1 conflict: conflict with "one": .spec.size'),
  );
  const forced = await apply('two', { spec: { size: 3 } }, true);
  assert.equal(forced.spec?.size, 3);
  await assert.rejects(apply('', { spec: {} }), refused(422, 'Invalid', /fieldManager: Required/));
});

test('the status is applied through its own endpoint, and only to what exists', async () => {
  const { apply, client } = await setUpApply();
  const status = { status: { phase: 'Up' } };
  await assert.rejects(
    apply('one', status, false, { subresource: 'status' }),
    refused(404, 'NotFound'),
  );
  await apply('one', { spec: { size: 2 }, ...status });
  assert.equal((await client.get(Widget, at('x'))).status, undefined);
  const told = await apply('teller', status, false, { subresource: 'status' });
  assert.deepEqual(told.status, { phase: 'Up' });
  assert.deepEqual(
    told.metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource]),
    [
      ['one', undefined],
      ['teller', 'status'],
    ],
  );
});

test('an apply is checked like any other write, and a dry run leaves no trace', async () => {
  const { apply, client, registry } = await setUpApply();
  const { revision } = registry.store;
  await assert.rejects(apply('one', { spec: { size: 0 } }), refused(422, 'Invalid', /spec\.size/));
  await assert.rejects(
    apply('one', { metadata: { name: 'y' }, spec: {} }),
    refused(400, 'BadRequest', /does not match the name on the URL/),
  );
  const strict = { fieldValidation: 'Strict' };
  await assert.rejects(
    apply('one', { spec: { odd: 1 } }, false, strict),
    refused(400, 'BadRequest', /\.spec\.odd: field not declared in schema/),
  );
  const tried = await apply('one', { spec: { size: 2 } }, false, { dryRun: true });
  assert.equal(tried.spec?.size, 2);
  assert.equal(registry.store.revision, revision);
  await assert.rejects(client.get(Widget, at('x')), refused(404, 'NotFound'));
});
