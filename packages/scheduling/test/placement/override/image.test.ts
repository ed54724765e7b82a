import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { OverrideError } from '../../../src/errors.ts';
import { overrideImage } from '../../../src/placement/override/image.ts';

const HEX = 'a'.repeat(64);

const CASES: readonly (readonly [image: string, other: string])[] = [
  ['nginx', 'r.io/nginx'],
  ['nginx:1.27', 'r.io/nginx:1.27'],
  ['library/nginx', 'r.io/library/nginx'],
  ['docker.io/library/nginx:1', 'r.io/library/nginx:1'],
  ['localhost/nginx', 'r.io/nginx'],
  ['localhost:5000/a/b:t', 'r.io/a/b:t'],
  [`host:1/a@sha256:${HEX}`, `r.io/a@sha256:${HEX}`],
  ['UPPER.io/a', 'r.io/a'],
  ['a.b/', 'r.io/a.b/'],
];

describe('another registry is put before the repository', () => {
  for (const [image, other] of CASES) {
    it(image, () => {
      const overrider = { component: 'Registry', operator: 'replace', value: 'r.io' } as const;
      assert.equal(overrideImage(image, overrider), other);
    });
  }
});

test('a text that almost looks like an image is refused in one pass, and quoted in part', () => {
  const remove = { component: 'Tag', operator: 'remove' } as const;
  for (const text of [
    `o${':b'.repeat(500_000)}`,
    '.'.repeat(1_000_000),
    `${'a/'.repeat(400_000)}!`,
  ]) {
    assert.throws(
      () => overrideImage(text, remove),
      (error) => error instanceof OverrideError && error.message.length < 200,
    );
  }
});
