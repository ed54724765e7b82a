import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '../../src/codec/json/parse-json.ts';
import { MalformedBodyError } from '../../src/errors.ts';

const messageOf = (input: string | Buffer): string => {
  try {
    parseJson(input);
  } catch (error) {
    assert.ok(error instanceof MalformedBodyError);
    return error.message;
  }
  return 'no error';
};

/** Bodies and what kube-apiserver v1.36.3 says about them after `json parse error: `. */
const GOLDEN: readonly (readonly [string, string])[] = [
  ['', 'unexpected end of JSON input'],
  ['  \n', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['[', 'unexpected end of JSON input'],
  ['{"a":"x', 'unexpected end of JSON input'],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1} x', "invalid character 'x' after top-level value"],
  ['{"a":1}}', "invalid character '}' after top-level value"],
  ['{"a":1}{"b":1}', "invalid character '{' after top-level value"],
  ['\ufeff{"kind":"ConfigMap"}', "invalid character 'ï' looking for beginning of value"],
  ['01', "invalid character '1' after top-level value"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
  ['{"a":+1}', "invalid character '+' looking for beginning of value"],
  ['{"a":nul}', "invalid character '}' in literal null (expecting 'l')"],
  ['{"a":truf}', "invalid character 'f' in literal true (expecting 'e')"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['{"a":"\t"}', "invalid character '\\t' in string literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a":é}', "invalid character 'Ã' looking for beginning of value"],
  ['{"a":\u0000}', "invalid character '\\x00' looking for beginning of value"],
  [`${'['.repeat(10_001)}${']'.repeat(10_001)}`, "invalid character '[' exceeded max depth"],
  ['['.repeat(200_000), "invalid character '[' exceeded max depth"],
  ['{"a":'.repeat(20_000), "invalid character '{' exceeded max depth"],
  ['{"a":1e400}', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
];

const DUPLICATES: readonly (readonly [string, readonly string[]])[] = [
  [
    '{"metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2","x":"3"},"metadata":{}}',
    ['metadata.name', 'data.x', 'metadata'],
  ],
  ['{"metadata":{"labels":{"a.b/c":"1","a.b/c":"2"}}}', ['metadata.labels.a.b/c']],
  ['{"a":{"b":1,"b":2,"c":[{"d":1},{"d":1,"d":2}]}}', ['a.b', 'a.c[1].d']],
  ['[{"a":1,"a":2}]', ['[0].a']],
  ['{"a" : 1, "a"\n: 2}', ['a']],
  ['{"a\\\\":1,"a\\\\":2}', ['a\\']],
  ['{"\\u0061":1,"a":2}', ['a']],
  ['{"":1,"":2}', ['']],
  ['{"x":"\\":","a":1,"a":2}', ['a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"x":[":",":\\":"],"a":"\\\\"}', []],
];

const json = fc.jsonValue({ maxDepth: 4 });

describe('parseJson', () => {
  for (const [body, message] of GOLDEN) {
    it(`complains as kube-apiserver about ${JSON.stringify(body.slice(0, 30))}`, () => {
      assert.equal(messageOf(body), message);
      assert.equal(messageOf(Buffer.from(body)), message);
    });
  }

  for (const [body, expected] of DUPLICATES) {
    it(`finds the duplicates of ${body}`, () => {
      assert.deepEqual(parseJson(body), { value: JSON.parse(body), duplicateFields: expected });
    });
  }

  it('agrees with JSON.parse on what has no duplicates, however it is written', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const parsed = parseJson(Buffer.from(text));
        assert.deepEqual(parsed, { value: JSON.parse(text), duplicateFields: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('finds a duplicate wherever it is', () => {
    const steps = fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.nat(3)), { maxLength: 5 });
    fc.assert(
      fc.property(steps, fc.string(), json, (path, key, sibling) => {
        const name = JSON.stringify(key);
        let text = `{${name}:1,${name}:${JSON.stringify(sibling)}}`;
        for (const step of path.toReversed()) {
          text =
            typeof step === 'number'
              ? `[${'0,'.repeat(step)}${text}]`
              : `{${JSON.stringify(step)}:${text}}`;
        }
        const prefix = path
          .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
          .join('')
          .replace(/^\./, '');
        assert.deepEqual(parseJson(text).duplicateFields, [
          prefix === '' ? key : `${prefix}.${key}`,
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('answers every text with a value or a MalformedBodyError', () => {
    const fragments = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      'u',
      'd8',
      '0',
      '-',
      '1e9',
      '.',
      'true',
      'nul',
      ' ',
      'é',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        let valid = true;
        try {
          // JavaScript reads a number that is too large as infinity; Go refuses it, and so do we.
          JSON.parse(text, (_, value) => {
            if (typeof value === 'number' && !Number.isFinite(value)) valid = false;
          });
        } catch {
          valid = false;
        }
        assert.equal(messageOf(text) === 'no error', valid);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses a cut-off text with a reason, not a crash', () => {
    const text = JSON.stringify({ a: [1.5e-7, true, null, { 'b"\\': 'é\n' }], c: '\ud83d\ude00' });
    for (let end = 0; end < text.length; end += 1) {
      assert.match(
        messageOf(text.slice(0, end)),
        /^(unexpected end of JSON input|invalid character)/,
      );
    }
  });

  it('tells no more than a hundred duplicates', () => {
    const fields = Array.from({ length: 300 }, (_, index) => `"k${index % 150}":1`);
    assert.equal(parseJson(`{${fields.join()}}`).duplicateFields.length, 100);
  });
});

describe('numbers in JSON', () => {
  const parsed = (literal: string) => JSON.stringify(parseJson(`{"a":${literal}}`).value);

  it('keeps what comes back as it was', () => {
    for (const literal of [
      '9007199254740991',
      '-9007199254740991',
      '9007199254740992',
      '9223372036854775000',
      '0.1',
      '1e-7',
    ]) {
      assert.equal(parsed(literal), `{"a":${literal}}`);
    }
  });

  it('takes floats as Go does', () => {
    assert.equal(parsed('1.0'), '{"a":1}');
    assert.equal(parsed('1e3'), '{"a":1000}');
    assert.equal(parsed('-0'), '{"a":0}');
    assert.equal(parsed('9223372036854775808'), '{"a":9223372036854776000}');
    assert.equal(parsed('100000000000000000000000'), '{"a":1e+23}');
  });

  it('keeps whole numbers of 64 bits to the last digit', () => {
    for (const literal of [
      '9007199254740993',
      '-9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
      '1152921504606846976',
    ]) {
      assert.equal(parsed(literal), `{"a":${literal}}`);
      assert.deepEqual(parseJson(`{"a":[{"b":${literal}}],"a":1}`).duplicateFields, ['a']);
    }
  });

  it('keeps them wherever they stand in a text', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.nat(40), (number, before) => {
        const text = `{"${'x'.repeat(before)}":[${number}]}`;
        assert.equal(JSON.stringify(parseJson(text).value), text);
      }),
    );
  });

  it('leaves numbers in strings alone', () => {
    assert.equal(messageOf('{"a":"9007199254740993"}'), 'no error');
  });
});

describe('strange text in JSON', () => {
  it('puts the replacement character where bytes are not UTF-8', () => {
    const body = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    assert.deepEqual(parseJson(body).value, { a: '\ufffd\ufffd' });
  });

  it('puts it in the place of half a surrogate pair too, in values and keys', () => {
    assert.deepEqual(
      parseJson('{"a\\ud800":"\\uDC00x","b":"\\ud83d\\ude00","c":"\\\\ud800"}').value,
      {
        'a\ufffd': '\ufffdx',
        b: '\u{1f600}',
        c: '\\ud800',
      },
    );
  });

  it('keeps __proto__ and constructor as plain fields', () => {
    const { value } = parseJson('{"__proto__":{"polluted":true},"constructor":"x"}');
    assert.equal(JSON.stringify(value), '{"__proto__":{"polluted":true},"constructor":"x"}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});
