import { utf8Length } from '../bytes.ts';
import { isCreditCard, isIsbn10, isIsbn13 } from './check-digits.ts';
import { isDate, isDateTime } from './date-format.ts';
import { durationNanos } from './duration-format.ts';
import { parseCidr, parseIp } from './ip-address.ts';
import { parseRequestUri } from './uri.ts';

type FormatCheck = (text: string) => boolean;

const matching =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const WORD = String.raw`[\p{L}\p{S}a-zA-Z0-9]`;
const HOSTNAME = new RegExp(
  `^(?:${WORD}(?:-?${WORD}{0,62})?|(?:${WORD}(?:[\\p{L}\\p{S}a-zA-Z0-9-]{0,61}${WORD})?\\.)+[\\p{L}a-zA-Z]{2,63})$`,
  'u',
);

const isHostname: FormatCheck = (text) =>
  utf8Length(text) <= 255 &&
  text.split('.').every((label) => utf8Length(label) <= 63) &&
  HOSTNAME.test(text);

const ATOM = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+";
const DOT_ATOM = `${ATOM}(?:\\.${ATOM})*`;
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
const ADDRESS = `(?:${DOT_ATOM}|${QUOTED})@(?:${DOT_ATOM}|\\[[^[\\]\\\\]*\\])`;
const EMAIL = new RegExp(`^(?:${ADDRESS}|(?:[^<>"@]|${QUOTED})*<${ADDRESS}>)$`, 'u');

const SLOPPY = { leadingZeros: true };
const SHORT_NAME = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const isShortName = matching(new RegExp(`^${SHORT_NAME}$`));
const isLongName = matching(new RegExp(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`));

const COLOUR_PART = '\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';

/** The formats of strings that Kubernetes checks, by name without dashes. */
const FORMATS = new Map<string, FormatCheck>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', (text) => !('error' in parseRequestUri(text))],
  ['email', (text) => EMAIL.test(text.trim())],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text, SLOPPY) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseIp(text) !== undefined],
  ['cidr', (text) => parseCidr(text, SLOPPY) !== undefined],
  [
    'mac',
    matching(
      /^(?:(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?|[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i,
    ),
  ],
  ['uuid', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matching(new RegExp(`^rgb\\(${COLOUR_PART},${COLOUR_PART},${COLOUR_PART}\\)$`))],
  [
    'byte',
    matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  ],
  ['password', () => true],
  ['date', isDate],
  ['duration', (text) => durationNanos(text) !== undefined],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && isShortName(text)],
  ['k8slongname', (text) => text.length <= 253 && isLongName(text)],
]);

/** Check of a string format; undefined for a format that Kubernetes does not define. */
export const formatCheck = (format: string): FormatCheck | undefined =>
  FORMATS.get(format.replaceAll('-', ''));
