import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { resourcePath, withQuery } from '../../src/client/resource-path.ts';

const anyName = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((name) => name !== '.' && name !== '..');

const kind = {
  group: 'g.io',
  version: 'v1',
  kind: 'K',
  plural: 'ks',
  scope: 'Namespaced',
} as const;

test('whatever the names are, the server reads the same ones from the path', () => {
  fc.assert(
    fc.property(anyName, anyName, anyName, (namespace, name, subresource) => {
      const path = resourcePath(kind, { namespace, name, subresource });
      const { pathname, search, hash } = new URL(`https://host/clusters/m${path}`);
      assert.equal(search + hash, '');
      assert.deepEqual(pathname.split('/').map(decodeURIComponent), [
        '',
        'clusters',
        'm',
        'apis',
        'g.io',
        'v1',
        'namespaces',
        namespace,
        'ks',
        name,
        subresource,
      ]);
    }),
  );
});

test('whatever the values are, the server reads the same ones from the query', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.integer(), (text, number) => {
      const path = withQuery('/x', { text, number, absent: undefined, empty: '', flag: false });
      const query = new URL(`https://host${path}`).searchParams;
      assert.deepEqual(Object.fromEntries(query), { text, number: String(number), flag: 'false' });
    }),
  );
});
