import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateName, safeEncode } from '@perigee/api/values/generated-name';
import fc from 'fast-check';

test('the prefix is kept, or cut to leave room for the suffix', () => {
  assert.equal(
    generateName('web-', () => 0),
    'web-bbbbb',
  );
  assert.equal(
    generateName('web-', () => 0.999_999),
    'web-99999',
  );
  assert.equal(
    generateName('x'.repeat(80), () => 0),
    `${'x'.repeat(58)}bbbbb`,
  );
});

test('the suffix is made of the safe alphabet and of what chance gives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
        minLength: 5,
        maxLength: 5,
      }),
      (draws) => {
        const random = draws.values();
        const name = generateName('a-', () => random.next().value ?? 0);
        assert.match(name, /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      },
    ),
    { numRuns: 100 },
  );
});

test('a hash is encoded digit by digit', () => {
  assert.equal(safeEncode('3515407693'), '795984cbf7');
});
