import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitImage } from '../../../src/kinds/flows/image-reference.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

for (const [reference, split] of Object.entries({
  'mycode/pypreprocess:latest': { image: 'mycode/pypreprocess', imageTag: 'latest' },
  alpine: { image: 'alpine' },
  'alpine:3.10': { image: 'alpine', imageTag: '3.10' },
  'registry.example.org:5000/team/code': { image: 'registry.example.org:5000/team/code' },
  'registry.example.org:5000/team/code:v1': {
    image: 'registry.example.org:5000/team/code',
    imageTag: 'v1',
  },
  [`alpine@${digest}`]: { image: `alpine@${digest}` },
  [`host:5000/alpine:3.10@${digest}`]: { image: `host:5000/alpine:3.10@${digest}` },
})) {
  test(`${reference} is split`, () => {
    assert.deepEqual(splitImage(reference), split);
  });
}

test('nothing is lost, and what is left of a tag has no further tag', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const port = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), port, word, (path, port, tag) => {
      const image = [port === undefined ? 'host' : `host:${port}`, ...path].join('/');
      assert.deepEqual(splitImage(`${image}:${tag}`), { image, imageTag: tag });
      assert.deepEqual(splitImage(image), { image });
    }),
    { numRuns: 200 },
  );
});
