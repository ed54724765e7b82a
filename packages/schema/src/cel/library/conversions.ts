import { utf8Bytes } from '../../bytes.ts';
import { goFloat } from '../../go-text.ts';
import { textCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { typeText } from '../types.ts';
import {
  Duration,
  type ListValue,
  type MapValue,
  Timestamp,
  TypeValue,
  typeOf,
  type Uint,
  type Value,
} from '../values.ts';
import { toInt64, toUint64 } from './operators.ts';
import { formatSeconds, formatTimestamp, parseCelDuration, parseTimestamp } from './time-text.ts';

const BILLION = 1_000_000_000n;

const wholePart = (value: number): bigint => {
  if (Number.isFinite(value) && Math.abs(value) < 2 ** 63) return BigInt(Math.trunc(value));
  throw new CelFailure('integer overflow');
};

const parseInteger = (text: string): bigint => {
  if (/^[+-]?\d{1,20}$/.test(text)) return BigInt(text.replace(/^\+/, ''));
  throw new CelFailure("type conversion error from 'string' to 'int'");
};

const parseDouble = (text: string): number => {
  const number = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)
    ? Number(text)
    : Number.NaN;
  if (!Number.isNaN(number)) return number;
  if (/^nan$/i.test(text)) return Number.NaN;
  const sign = text.startsWith('-') ? -1 : 1;
  if (/^[+-]?inf(inity)?$/i.test(text)) return sign * Number.POSITIVE_INFINITY;
  throw new CelFailure("type conversion error from 'string' to 'double'");
};

const BOOLEANS = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

const parseBool = (text: string): boolean => {
  const value = BOOLEANS.get(text);
  if (value !== undefined) return value;
  throw new CelFailure("type conversion error from 'string' to 'bool'");
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decodeText = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CelFailure('invalid UTF-8 in bytes, cannot convert to string');
  }
};

const characters = (text: string): bigint => {
  let count = 0n;
  for (const _character of text) count++;
  return count;
};

const TYPE_NAMES: { readonly [kind: string]: string } = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  list: 'list',
  object: 'map',
  map: 'map',
  optional: 'optional_type',
};

const typeValueOf = (value: Value): TypeValue => {
  const type = typeOf(value);
  return new TypeValue(TYPE_NAMES[type.kind] ?? typeText(type));
};

const itself = (value: Value): Value => value;
const textLength = (text: string | Uint8Array): number => textCost(text.length);

const sizes: readonly Overload[] = (
  [
    ['string', characters, textLength],
    ['bytes', (bytes: Uint8Array) => BigInt(bytes.length), undefined],
    ['list<A>', (list: ListValue) => BigInt(list.items.length), undefined],
    ['map<A, B>', (map: MapValue) => BigInt(map.entries.size), undefined],
  ] as const
).flatMap(([type, run, cost]) => [
  func(`size(${type}): int`, run, cost),
  method(type, 'size(): int', run, cost),
]);

export const CONVERSIONS: readonly Overload[] = [
  ...sizes,
  func('dyn(A): dyn', itself),
  func('type(A): type', typeValueOf),
  func('bool(bool): bool', itself),
  func('bool(string): bool', parseBool),
  func('bytes(bytes): bytes', itself),
  func('bytes(string): bytes', utf8Bytes, textLength),
  func('double(double): double', itself),
  func('double(int): double', (value: bigint) => Number(value)),
  func('double(uint): double', ({ value }: Uint) => Number(value)),
  func('double(string): double', parseDouble, textLength),
  func('int(int): int', itself),
  func('int(uint): int', ({ value }: Uint) => toInt64(value)),
  func('int(double): int', wholePart),
  func('int(string): int', (text: string) => toInt64(parseInteger(text)), textLength),
  func('int(timestamp): int', ({ nanos }: Timestamp) => nanos / BILLION),
  func('int(duration): int', ({ nanos }: Duration) => nanos),
  func('uint(uint): uint', itself),
  func('uint(int): uint', toUint64),
  func('uint(double): uint', (value: number) => toUint64(wholePart(value))),
  func('uint(string): uint', (text: string) => toUint64(parseInteger(text)), textLength),
  func('string(string): string', itself),
  func('string(bool): string', (value: boolean) => String(value)),
  func('string(int): string', (value: bigint) => String(value)),
  func('string(uint): string', ({ value }: Uint) => String(value)),
  func('string(double): string', (value: number) => goFloat(value)),
  func('string(bytes): string', decodeText, textLength),
  func('string(timestamp): string', formatTimestamp),
  func('string(duration): string', formatSeconds),
  func('timestamp(timestamp): timestamp', itself),
  func('timestamp(string): timestamp', parseTimestamp, textLength),
  func('timestamp(int): timestamp', (seconds: bigint) => new Timestamp(seconds * BILLION)),
  func('duration(duration): duration', itself),
  func('duration(string): duration', parseCelDuration, textLength),
  func('duration(int): duration', (nanos: bigint) => new Duration(nanos)),
];
