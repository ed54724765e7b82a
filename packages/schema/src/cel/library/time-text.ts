import { ParseError } from '../../errors.ts';
import { goDurationNanos } from '../../formats/duration-format.ts';
import { parseTime } from '../../values/time.ts';
import { CelFailure } from '../failure.ts';
import { Duration, Timestamp } from '../values.ts';

const THOUSAND = 1_000n;
const MILLION = 1_000_000n;
const BILLION = 1_000_000_000n;

/** Reads a moment in RFC 3339. */
export const parseTimestamp = (text: string): Timestamp => {
  try {
    return new Timestamp(BigInt(Math.round(parseTime(text) * 1000)) * THOUSAND);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CelFailure("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  }
};

/** Reads a duration as Go writes it. */
export const parseCelDuration = (text: string): Duration => {
  const nanos = goDurationNanos(text);
  if (nanos !== undefined) return new Duration(nanos);
  throw new CelFailure("type conversion error from 'string' to 'google.protobuf.Duration'");
};

const fractionText = (nanos: bigint): string => {
  const digits = String(nanos)
    .padStart(9, '0')
    .replace(/(?<!0)0+$/, '');
  return digits === '' ? '' : `.${digits}`;
};

/** The moment in UTC, with as many digits of the second as it takes. */
export const formatTimestamp = ({ nanos }: Timestamp): string => {
  const fraction = ((nanos % BILLION) + BILLION) % BILLION;
  const text = new Date(Number((nanos - fraction) / MILLION)).toISOString().slice(0, 19);
  return `${text}${fractionText(fraction)}Z`;
};

/** The duration in seconds, as CEL writes it: `5400s`, `1.5s`. */
export const formatSeconds = ({ nanos }: Duration): string => {
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / BILLION}${fractionText(size % BILLION)}s`;
};
