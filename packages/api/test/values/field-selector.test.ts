import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from '@perigee/api/values/field-selector';
import fc from 'fast-check';

type Case =
  | [text: string, canonical: string, matches: string]
  | [text: string, failure: { readonly error: string }];

/** Results of the Go implementation of Kubernetes 1.36; `matches` has a 1 for each set that matches. */
const cases: {
  readonly fieldSets: readonly { readonly [path: string]: string }[];
  readonly fields: readonly Case[];
} = JSON.parse(readFileSync(new URL('./selector-cases.json', import.meta.url), 'utf8'));

test('reads, writes and matches as Kubernetes does', () => {
  for (const [text, ...expected] of cases.fields) {
    if (expected.length === 1) {
      assert.throws(() => parseFieldSelector(text), {
        name: 'ParseError',
        message: expected[0].error,
      });
      continue;
    }
    const selector = parseFieldSelector(text);
    assert.equal(formatFieldSelector(selector), expected[0], text);
    const matches = cases.fieldSets.map((fields) =>
      matchesFields(selector, (path) => fields[path] ?? '') ? '1' : '0',
    );
    assert.equal(matches.join(''), expected[1], text);
  }
});

test('any value survives writing and reading', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('=' as const, '!=' as const), (value, operator) => {
      const selector = [{ path: 'metadata.name', operator, value }];
      assert.deepEqual(parseFieldSelector(formatFieldSelector(selector)), selector);
    }),
    { numRuns: 300 },
  );
});
