import type { JsonValue } from '@perigee/schema/json';
import { formatMicroTime, formatTime } from '@perigee/schema/values/time';
import { MalformedBodyError } from '../../errors.ts';
import { parseJson } from '../json/parse-json.ts';
import type { WireReader } from './wire-reader.ts';

/** The first second of the year 1, which is the zero of times in Go, and the end of the year 9999. */
const ZERO_TIME = -62_135_596_800;
const LAST_TIME = 253_402_300_799;

const readTimestamp = (
  reader: WireReader,
): { readonly seconds: number; readonly nanos: number } => {
  let seconds: number | undefined;
  let nanos = 0;
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) seconds = Number(reader.int64());
    else if (reader.fieldNumber === 2) nanos = reader.int32();
    else reader.skip();
  }
  // An empty message is the zero time; one that only leaves out its seconds is in the first of 1970.
  const whole = seconds ?? (nanos === 0 ? ZERO_TIME : 0);
  if (whole < ZERO_TIME || whole > LAST_TIME || nanos < 0 || nanos >= 1e9) {
    throw new MalformedBodyError('number', 'a time is not within the years 1 to 9999');
  }
  return { seconds: whole, nanos };
};

/** The zero time is null in JSON. A fraction of a second is cut off, as Kubernetes does. */
export const readTime = (reader: WireReader): JsonValue => {
  const { seconds } = readTimestamp(reader);
  return seconds === ZERO_TIME ? null : formatTime(seconds * 1000);
};

export const readMicroTime = (reader: WireReader): JsonValue => {
  const { seconds, nanos } = readTimestamp(reader);
  if (seconds === ZERO_TIME) return null;
  const micros = String(Math.trunc(nanos / 1000)).padStart(6, '0');
  return formatMicroTime(seconds * 1000).replace('.000000Z', `.${micros}Z`);
};

export const readQuantity = (reader: WireReader): JsonValue => {
  let text = '';
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) text = reader.text();
    else reader.skip();
  }
  return text === '' ? '0' : text;
};

export const readIntOrString = (reader: WireReader): JsonValue => {
  let type = 0;
  let number = 0;
  let text = '';
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) type = reader.int32();
    else if (reader.fieldNumber === 2) number = reader.int32();
    else if (reader.fieldNumber === 3) text = reader.text();
    else reader.skip();
  }
  if (type === 0) return number;
  if (type === 1) return text;
  throw new MalformedBodyError('syntax', `a number or text is of the unknown type ${type}`);
};

/** JSON that travels as bytes in a message; none is null. */
export const readJson = (reader: WireReader): JsonValue => {
  let raw: Buffer | undefined;
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) raw = reader.bytes();
    else reader.skip();
  }
  return raw === undefined || raw.length === 0 ? null : parseJson(raw).value;
};
