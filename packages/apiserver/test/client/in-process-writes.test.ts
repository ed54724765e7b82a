import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, setUpApi, Widget } from '../registry/registry-fixture.ts';

test('what a caller does to its objects later does not reach what is stored', async () => {
  const { client } = await setUpApi();
  const created = { metadata: at('x'), spec: { size: 1 } };
  await client.create(Widget, created);
  created.spec.size = 7;
  assert.equal((await client.get(Widget, at('x'))).spec?.size, 1);
  const patch = { spec: { size: 2 } };
  await client.patch(Widget, at('x'), { type: 'merge', body: patch });
  patch.spec.size = 7;
  assert.equal((await client.get(Widget, at('x'))).spec?.size, 2);
});
