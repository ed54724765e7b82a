import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  addQuantities,
  compareQuantities,
  multiplyQuantity,
  type QuantityFormat,
  quantityMilliValue,
  quantityOf,
  quantityValue,
  subtractQuantity,
} from '@perigee/schema/values/quantity';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';

type ParseCase =
  | [text: string, canonical: string, QuantityFormat, value: number | null, milli: number | null]
  | [text: string, error: string];
type PairCase = [
  a: string,
  b: string,
  sum: string,
  difference: string,
  order: number,
  times: number,
  product: string,
];

/** Results of the Go implementation of Kubernetes 1.36. */
const cases: { readonly parse: readonly ParseCase[]; readonly pairs: readonly PairCase[] } =
  JSON.parse(readFileSync(new URL('./quantity-cases.json', import.meta.url), 'utf8'));

const reformat = (text: string | number): string => formatQuantity(parseQuantity(text));

describe('as Kubernetes does', () => {
  test('reads and writes', () => {
    for (const [text, ...expected] of cases.parse) {
      if (expected.length === 1) {
        assert.throws(() => parseQuantity(text), {
          message: `${JSON.stringify(text)}: ${expected[0]}`,
        });
        continue;
      }
      const quantity = parseQuantity(text);
      const [canonical, format, value, milli] = expected;
      assert.equal(formatQuantity(quantity), canonical, text);
      assert.equal(quantity.format, format, text);
      if (value !== null) assert.equal(quantityValue(quantity), value, text);
      if (milli !== null) assert.equal(quantityMilliValue(quantity), milli, text);
    }
  });

  test('adds, subtracts, compares and multiplies', () => {
    for (const [textA, textB, sum, difference, order, times, product] of cases.pairs) {
      const [a, b] = [parseQuantity(textA), parseQuantity(textB)];
      const context = `${textA} and ${textB}`;
      assert.equal(formatQuantity(addQuantities(a, b)), sum, context);
      assert.equal(formatQuantity(subtractQuantity(a, b)), difference, context);
      assert.equal(Math.sign(compareQuantities(a, b)), order, context);
      assert.equal(formatQuantity(multiplyQuantity(a, times)), product, `${textA} × ${times}`);
    }
  });
});

describe('better than Kubernetes does', () => {
  test('an amount beyond the largest suffix keeps its size', () => {
    assert.equal(reformat('1000E'), '1000E');
    assert.equal(reformat('1000000P'), '1000E');
  });

  test('a suffix without digits is zero, also for the largest suffixes', () => {
    for (const suffix of ['m', 'k', 'Ki', 'Pi', 'Ei', '.Ei']) assert.equal(reformat(suffix), '0');
  });

  test('values round away from zero on both sides, and do not overflow', () => {
    assert.equal(quantityValue(parseQuantity('-0.1')), -1);
    assert.equal(quantityMilliValue(parseQuantity('-0.0001')), -1);
    assert.equal(quantityValue(parseQuantity('-12345678901234.5')), -12345678901235);
    assert.equal(quantityValue(parseQuantity('1e30')), 1e30);
    assert.equal(quantityMilliValue(parseQuantity('1e30')), 1e33);
  });

  test('an exponent that would fill the memory is an error', () => {
    assert.throws(() => parseQuantity('1e1000000000'), /exponent must lie between -1000 and 1000/);
    assert.throws(() => parseQuantity('1e-1000000000'), /exponent must lie between -1000 and 1000/);
    assert.equal(reformat('1e-1000'), '1e-9');
  });
});

test('numbers and padded texts, as they stand in JSON, are quantities too', () => {
  assert.equal(reformat(2), '2');
  assert.equal(reformat(0.5), '500m');
  assert.equal(reformat(1e21), '1e21');
  assert.equal(reformat(1e-7), '100e-9');
  assert.equal(reformat(' 1Gi\n'), '1Gi');
});

test('a quantity of a whole number is exact or refused', () => {
  assert.equal(formatQuantity(quantityOf(4)), '4');
  assert.equal(formatQuantity(quantityOf(2 ** 31, 'BinarySI')), '2Gi');
  assert.throws(() => quantityOf(0.5), RangeError);
  assert.throws(() => quantityOf(2 ** 53), RangeError);
  assert.throws(() => multiplyQuantity(quantityOf(4), 0.5), RangeError);
});
