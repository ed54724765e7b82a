import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../src/present.ts';

test('fields without a value are not there at all, and the others keep their order', () => {
  const fields = { uid: undefined, name: 'a', labels: undefined, count: 0, text: '', flag: false };
  const result = present({ ...fields, nothing: null });
  assert.deepEqual(Object.entries(result), [
    ['name', 'a'],
    ['count', 0],
    ['text', ''],
    ['flag', false],
    ['nothing', null],
  ]);
  assert.equal('uid' in fields, true);
});

test('a field that may be undefined is optional, and one that may not is required', () => {
  const uid = ['u'].at(0);
  const result: { readonly name: string; uid?: string } = present({ name: 'a', uid });
  const { name }: { readonly name: string } = present({ name: 'a', uid });
  // @ts-expect-error: it may not be there
  const text: string = present({ name: 'a', uid }).uid;
  assert.deepEqual(
    { result, name, text },
    { result: { name: 'a', uid: 'u' }, name: 'a', text: 'u' },
  );
});
