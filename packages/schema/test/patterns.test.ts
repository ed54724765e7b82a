import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toPattern } from '@perigee/schema/pattern';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith } from './recorded.ts';

/** On any of these, an engine that tries one way after another would not be done in this century. */
const TRAPS = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(x+x+)+y',
  '^(.*a){20}$',
  '^(([a-z])+.)+[A-Z]$',
];
const TEXT = `${'a'.repeat(10_000)}!`;

describe('patterns', () => {
  for (const pattern of TRAPS) {
    it(`${pattern} is decided for a long text`, () => {
      const validate = compileValidator({
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { s: { type: 'string', pattern } } },
        },
      });
      assert.equal(validate(objectWith({ s: TEXT })).length, 1);
    });

    it(`${pattern} is decided for a long text in a rule`, () => {
      const validate = compileValidator({
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { s: { type: 'string' } },
            'x-kubernetes-validations': [{ rule: `!self.s.matches('${pattern}')` }],
          },
        },
      });
      assert.deepEqual(validate(objectWith({ s: TEXT })), []);
    });
  }

  it('are in the syntax of Go', () => {
    const pattern = toPattern('(?i)^\\p{Greek}+$');
    assert.ok('matches' in pattern);
    assert.equal(pattern.matches('ΑΒΓδ'), true);
    assert.equal(pattern.matches('abc'), false);
    assert.ok('error' in toPattern('(?=a)'), 'Go has no lookahead');
  });

  it('that cannot be read are told with each value', () => {
    const validate = compileValidator({
      type: 'object',
      properties: { spec: { type: 'string', pattern: '(' } },
    });
    assert.match(
      validate(objectWith('x'))[0]?.message ?? '',
      /but pattern is invalid: .*missing closing/,
    );
  });
});
