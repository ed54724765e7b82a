import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  multiplyQuantity,
  nanosOf,
  negateQuantity,
  type Quantity,
  type QuantityFormat,
  quantityOfNanos,
  signOfQuantity,
  subtractQuantity,
  ZERO,
} from '@perigee/schema/values/quantity';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';
import fc from 'fast-check';

const formats: readonly QuantityFormat[] = ['DecimalSI', 'BinarySI', 'DecimalExponent'];
const BILLION = 10n ** 9n;
/** Sizes on both sides of every boundary: fractions, safe integers, 64 bits and beyond. */
const nanos = fc
  .tuple(
    fc.oneof(
      fc.bigInt(-2000n, 2000n),
      fc.bigInt(-(2n ** 54n), 2n ** 54n),
      fc.bigInt(-(2n ** 64n), 2n ** 64n),
    ),
    fc.constantFrom(1n, 10n ** 6n, BILLION, 1024n * BILLION, 1024n ** 3n * BILLION),
  )
  .map(([mantissa, scale]) => mantissa * scale);
const quantity: fc.Arbitrary<Quantity> = fc
  .tuple(nanos, fc.constantFrom(...formats))
  .map(([amount, format]) => quantityOfNanos(amount, format));
const integer = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.maxSafeInteger());

const holds = <T extends [unknown, ...unknown[]]>(
  ...args: [...{ [K in keyof T]: fc.Arbitrary<T[K]> }, (...values: T) => void]
): void => fc.assert(fc.property(...args), { numRuns: 500 });

const same = (a: Quantity, b: Quantity) => assert.equal(compareQuantities(a, b), 0);

test('sums and products are exact and always in normal form', () => {
  holds(quantity, quantity, integer, (a, b, times) => {
    for (const [result, expected] of [
      [addQuantities(a, b), nanosOf(a) + nanosOf(b)],
      [subtractQuantity(a, b), nanosOf(a) - nanosOf(b)],
      [negateQuantity(a), -nanosOf(a)],
      [multiplyQuantity(a, times), nanosOf(a) * BigInt(times)],
    ] as const) {
      assert.deepEqual(result, quantityOfNanos(expected, result.format));
    }
  });
});

test('quantities form a ring module over the integers', () => {
  holds(quantity, quantity, quantity, integer, (a, b, c, times) => {
    same(addQuantities(a, b), addQuantities(b, a));
    same(addQuantities(addQuantities(a, b), c), addQuantities(a, addQuantities(b, c)));
    same(addQuantities(a, ZERO), a);
    assert.ok(isZeroQuantity(addQuantities(a, negateQuantity(a))));
    same(
      multiplyQuantity(addQuantities(a, b), times),
      addQuantities(multiplyQuantity(a, times), multiplyQuantity(b, times)),
    );
    same(multiplyQuantity(a, 1), a);
  });
});

test('comparison is a total order that agrees with the amounts', () => {
  holds(quantity, quantity, (a, b) => {
    const order = Math.sign(compareQuantities(a, b));
    assert.equal(order, nanosOf(a) < nanosOf(b) ? -1 : nanosOf(a) > nanosOf(b) ? 1 : 0);
    assert.equal(Math.sign(compareQuantities(b, a)) + order, 0);
    assert.equal(signOfQuantity(subtractQuantity(a, b)), order);
  });
});

test('what is written is read as the same amount', () => {
  const cap = (2n ** 63n - 1n) * BILLION;
  holds(quantity, (value) => {
    // A parsed binary amount is capped at 64 bits; sums may grow beyond.
    if (value.format === 'BinarySI' && (nanosOf(value) > cap || nanosOf(value) < -cap)) return;
    const text = formatQuantity(value);
    const again = parseQuantity(text);
    same(again, value);
    // 2000 in binary units is written without a suffix, and so read as decimal.
    assert.equal(formatQuantity({ ...again, format: value.format }), text);
    assert.match(text, /^-?[0-9]+([numkMGTPE]|[KMGTPE]i|e-?[0-9]+)?$/);
  });
});

test('a sum keeps the format of its first part unless that is zero', () => {
  const [gibi, giga] = [parseQuantity('1Gi'), parseQuantity('1G')];
  assert.equal(addQuantities(gibi, giga).format, 'BinarySI');
  assert.equal(addQuantities(giga, gibi).format, 'DecimalSI');
  assert.equal(addQuantities(ZERO, gibi).format, 'BinarySI');
  assert.equal(formatQuantity(subtractQuantity(ZERO, gibi)), '-1Gi');
});
