import { ParseError } from '../../errors.ts';
import {
  addQuantities,
  compareQuantities,
  nanosOf,
  type Quantity,
  quantityOfNanos,
  signOfQuantity,
  subtractQuantity,
} from '../../values/quantity.ts';
import { parseQuantity } from '../../values/quantity-text.ts';
import { textCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { OpaqueValue } from '../values.ts';

type QuantityValue = OpaqueValue<Quantity>;

const toValue = (quantity: Quantity): QuantityValue =>
  new OpaqueValue('Quantity', quantity, (value) => String(nanosOf(value)));

const BILLION = 1_000_000_000n;
const LEAST_INT = -(2n ** 63n);
const MOST_INT = 2n ** 63n - 1n;

/** No amount takes so many digits; reading millions of them would take long. */
const LONGEST = 1_000;

const read = (text: string): Quantity | ParseError => {
  if (text.length > LONGEST) return new ParseError(`a quantity must not be longer than ${LONGEST}`);
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
};

const toQuantity = (text: string): QuantityValue => {
  const quantity = read(text);
  if (quantity instanceof ParseError) throw new CelFailure(quantity.message);
  return toValue(quantity);
};

const ofInt = (value: bigint): Quantity => quantityOfNanos(value * BILLION, 'DecimalSI');

/** The whole number that the quantity is; nothing when it has a fraction or is too large. */
const wholeNumber = (quantity: Quantity): bigint | undefined => {
  const units = BigInt(quantity.units);
  return quantity.nanos === 0 && units >= LEAST_INT && units <= MOST_INT ? units : undefined;
};

const asInteger = ({ value }: QuantityValue): bigint => {
  const whole = wholeNumber(value);
  if (whole === undefined) throw new CelFailure('cannot convert value to integer');
  return whole;
};

const compareTo = (a: QuantityValue, b: QuantityValue): bigint =>
  BigInt(Math.sign(compareQuantities(a.value, b.value)));

const plus = (a: QuantityValue, b: Quantity): QuantityValue => toValue(addQuantities(a.value, b));
const minus = (a: QuantityValue, b: Quantity): QuantityValue =>
  toValue(subtractQuantity(a.value, b));

const walk = (text: string): number => textCost(text.length);

export const QUANTITIES: readonly Overload[] = [
  func('quantity(string): Quantity', toQuantity, walk),
  func('isQuantity(string): bool', (text: string) => !(read(text) instanceof ParseError), walk),
  func('sign(Quantity): int', ({ value }: QuantityValue) => BigInt(signOfQuantity(value))),
  method('Quantity', 'compareTo(Quantity): int', compareTo),
  method(
    'Quantity',
    'isGreaterThan(Quantity): bool',
    (a: QuantityValue, b: QuantityValue) => compareTo(a, b) > 0n,
  ),
  method(
    'Quantity',
    'isLessThan(Quantity): bool',
    (a: QuantityValue, b: QuantityValue) => compareTo(a, b) < 0n,
  ),
  method(
    'Quantity',
    'isInteger(): bool',
    ({ value }: QuantityValue) => wholeNumber(value) !== undefined,
  ),
  method('Quantity', 'asInteger(): int', asInteger),
  method(
    'Quantity',
    'asApproximateFloat(): double',
    ({ value }: QuantityValue) => Number(nanosOf(value)) / 1e9,
  ),
  method('Quantity', 'add(Quantity): Quantity', (a: QuantityValue, b: QuantityValue) =>
    plus(a, b.value),
  ),
  method('Quantity', 'add(int): Quantity', (a: QuantityValue, b: bigint) => plus(a, ofInt(b))),
  method('Quantity', 'sub(Quantity): Quantity', (a: QuantityValue, b: QuantityValue) =>
    minus(a, b.value),
  ),
  method('Quantity', 'sub(int): Quantity', (a: QuantityValue, b: bigint) => minus(a, ofInt(b))),
];
