import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, ConfigMap, refused, setUpApi, Widget } from './registry-fixture.ts';

test('patches by JSON operations and by merging change what they name', async () => {
  const { client, widget } = await setUpApi();
  await widget('x', { size: 1 });
  const merged = await client.patch(Widget, at('x'), {
    type: 'merge',
    body: { metadata: { labels: { a: 'b' } }, spec: { size: 2, colour: null } },
  });
  assert.deepEqual(merged.spec, { size: 2, colour: 'red' });
  assert.deepEqual(merged.metadata.labels, { a: 'b' });
  const replaced = await client.patch(Widget, at('x'), {
    type: 'json',
    operations: [
      { op: 'test', path: '/spec/size', value: 2 },
      { op: 'replace', path: '/spec/size', value: 3 },
    ],
  });
  assert.equal(replaced.spec?.size, 3);
  const failing = {
    type: 'json',
    operations: [{ op: 'test', path: '/spec/size', value: 2 }],
  } as const;
  await assert.rejects(client.patch(Widget, at('x'), failing), refused(422, 'Invalid'));
});

test('patches never conflict with each other, unless they name a version', async () => {
  const { client } = await setUpApi();
  const map = await client.create(ConfigMap, { metadata: at('m') });
  const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
  await Promise.all(
    names.map((name) =>
      client.patch(ConfigMap, at('m'), { type: 'merge', body: { data: { [name]: 'v' } } }),
    ),
  );
  const { data } = await client.get(ConfigMap, at('m'));
  assert.deepEqual(Object.keys(data ?? {}).toSorted(), names.toSorted());
  const { resourceVersion } = map.metadata;
  const stale = { metadata: { resourceVersion }, data: { late: 'v' } };
  await assert.rejects(
    client.patch(ConfigMap, at('m'), { type: 'merge', body: stale }),
    refused(409, 'Conflict'),
  );
});

test('custom objects take no strategic merge patch', async () => {
  const { client, widget } = await setUpApi();
  await widget('x');
  await assert.rejects(
    client.patch(Widget, at('x'), { type: 'strategic', body: { spec: { size: 2 } } }),
    refused(415, 'UnsupportedMediaType'),
  );
  await client.create(ConfigMap, { metadata: at('m'), data: { a: '1' } });
  const map = await client.patch(ConfigMap, at('m'), {
    type: 'strategic',
    body: { data: { b: '2' } },
  });
  assert.deepEqual(map.data, { a: '1', b: '2' });
});

test('a patch can neither rename an object nor break its rules', async () => {
  const { client, widget, warnings } = await setUpApi();
  const x = await widget('x');
  const merge = (body: object) => client.patch(Widget, at('x'), { type: 'merge', body });
  await assert.rejects(
    merge({ metadata: { name: 'y' } }),
    refused(400, 'BadRequest', /^the name of the object \(y\) does not match .* URL \(x\)$/),
  );
  await assert.rejects(
    merge({ metadata: { namespace: 'b' } }),
    refused(400, 'BadRequest', /^the namespace of the provided object does not match/),
  );
  await assert.rejects(
    merge({ metadata: { uid: 'of-another' } }),
    refused(422, 'Invalid', /metadata\.uid: Invalid value: "of-another": field is immutable/),
  );
  await assert.rejects(merge({ metadata: null }), refused(400, 'BadRequest', /undeterminable/));
  await assert.rejects(merge({ spec: { size: 0 } }), refused(422, 'Invalid', /spec\.size/));
  await assert.rejects(
    merge({ metadata: { labels: 5 } }),
    refused(422, 'Invalid', /patch: .*labels/),
  );
  assert.deepEqual(await merge({ spec: { odd: 1 } }), x);
  assert.deepEqual(warnings, ['unknown field "spec.odd"']);
  const phase = { type: 'merge', body: { spec: { size: 7 }, status: { phase: 'Up' } } } as const;
  const told = await client.patch(Widget, at('x'), phase, { subresource: 'status' });
  assert.deepEqual([told.spec?.size, told.status?.phase], [1, 'Up']);
  await assert.rejects(
    client.patch(Widget, at('none'), { type: 'merge', body: {} }),
    refused(404, 'NotFound'),
  );
});
