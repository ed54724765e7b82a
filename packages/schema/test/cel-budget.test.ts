import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type {
  StructuralSchema,
  ValidationRule,
} from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith } from './recorded.ts';

const INTS: StructuralSchema = { type: 'array', items: { type: 'integer' } };
const TEXT: StructuralSchema = { type: 'string' };
const TEXTS: StructuralSchema = { type: 'array', items: TEXT };

const messages = (spec: JsonObject, ...rules: readonly ValidationRule[]): readonly string[] => {
  const properties = { l: INTS, m: INTS, s: TEXT, t: TEXTS, u: TEXTS };
  const validate = compileValidator({
    type: 'object',
    properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
  });
  return validate(objectWith(spec)).map(({ message }) => message);
};

const numbers = Array.from({ length: 3_000 }, (_, index) => index);
const many = Array.from({ length: 100_000 }, (_, index) => index);
const texts = many.map(String);
const long = 'ab'.repeat(100_000);

/** Each of these would run for minutes or for ever, and has no error of its own. */
const ENDLESS: { readonly [rule: string]: JsonObject } = {
  'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))': { l: numbers },
  'self.l.all(a, self.l.all(b, self.l.all(c, 1 / 0 > c)))': { l: numbers },
  'self.l.exists(a, self.l.exists(b, self.l.exists(c, a + b + c < 0)))': { l: numbers },
  'self.l.map(a, self.l.map(b, a)).size() > 0': { l: many },
  'self.l.all(a, !(-1 in self.m))': { l: many, m: many },
  'self.l.all(a, self.t == self.u)': { l: many, t: texts, u: texts },
  'self.l.all(a, (self.s + self.s).size() > 0)': { l: many, s: long },
  'self.l.all(a, !self.s.matches("^.*a.{12}d$"))': { l: many, s: `${long}c` },
  'self.l.all(a, self.s.find("(.*a){10}x") == "")': { l: many, s: `${long}x` },
  'self.l.all(a, self.s.replace("", self.s).size() > 0)': { l: many, s: long },
  'self.l.all(a, "%s".format([self.l]) != "")': { l: many },
  'self.l.all(a, self.t.distinct().size() > 0)': { l: many, t: texts },
  'self.l.all(a, self.t.sort().size() > 0)': { l: many, t: texts },
  'lists.range(9223372036854775807).size() > 0': {},
};

describe('a rule that costs too much is ended', () => {
  for (const [rule, spec] of Object.entries(ENDLESS)) {
    it(rule, () => {
      assert.deepEqual(messages(spec, { rule, message: 'RULE' }, { rule: 'false' }), [
        'Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: RULE',
      ]);
    });
  }
});

describe('the budget', () => {
  it('is shared by all rules of an object', () => {
    const rule = { rule: 'self.l.all(a, a >= 0 && self.s == self.s)' };
    const errors = messages({ l: many, s: 'x' }, ...Array.from({ length: 30 }, () => rule));
    assert.equal(errors.length, 1);
    assert.match(
      errors[0] ?? '',
      /running out of cost budget, no further validation rules will be run|cost limit exceeded/,
    );
  });

  it('is enough for what people write', () => {
    const rule =
      'self.t.all(a, a.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$") && self.t.exists_one(b, a == b))';
    assert.deepEqual(messages({ t: texts.slice(0, 200) }, { rule }), []);
  });
});

describe('an expression that is itself too large', () => {
  for (const [name, rule] of Object.entries({
    parentheses: `${'('.repeat(5_000)}true${')'.repeat(5_000)}`,
    negations: `${'!'.repeat(100_000)}true`,
    'a sum': `${new Array(50_000).fill('1').join(' + ')} > 0`,
  })) {
    it(`of ${name} is refused`, () => {
      const [error] = messages({}, { rule });
      assert.match(error ?? '', /rule compile error: .*(nested too deeply|Exceeded max)/s);
    });
  }

  it('may be long if it is not deep', () => {
    const rule = new Array(10_000).fill('self.s == "a"').join(' || ');
    assert.deepEqual(messages({ s: 'a' }, { rule }), []);
  });
});
