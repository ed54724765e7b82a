import { ParseError } from '@perigee/schema/errors';
import type { JsonValue } from '@perigee/schema/json';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';
import { formatMicroTime, formatTime, isPlainTime, parseTime } from '@perigee/schema/values/time';

/** Encodes a value as Go does after decoding it; an invalid one stays, for validation to refuse. */
export type GoValue = (value: JsonValue) => JsonValue;

const ifReadable =
  (convert: GoValue): GoValue =>
  (value) => {
    try {
      return convert(value);
    } catch (error) {
      if (error instanceof ParseError) return value;
      throw error;
    }
  };

export const isByte = (value: JsonValue): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;

/** Bytes are base64, or a list of them. */
const bytesText: GoValue = (value) =>
  Array.isArray(value) && value.every((byte: JsonValue) => byte === null || isByte(byte))
    ? Buffer.from(value.map(Number)).toString('base64')
    : value;

const GO_VALUES: ReadonlyMap<string, GoValue> = new Map([
  ['bytes', bytesText],
  ['float64', (value) => (typeof value === 'bigint' ? Number(value) : value)],
  [
    'Quantity',
    ifReadable((value) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
        ? formatQuantity(parseQuantity(value))
        : value,
    ),
  ],
  [
    'Time',
    ifReadable((value) =>
      typeof value === 'string' && !isPlainTime(value) ? formatTime(parseTime(value)) : value,
    ),
  ],
  [
    'MicroTime',
    ifReadable((value) => (typeof value === 'string' ? formatMicroTime(parseTime(value)) : value)),
  ],
]);

/** For the special types whose values have more than one spelling. */
export const goValue = (typeName: string): GoValue | undefined => GO_VALUES.get(typeName);
