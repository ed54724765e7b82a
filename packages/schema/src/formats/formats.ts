import { utf8Length } from '../bytes.ts';
import { isDate, isDateTime } from './date-format.ts';
import { durationNanos } from './duration-format.ts';
import { parseCidr, parseIp } from './ip-address.ts';
import { parseRequestUri } from './uri.ts';

/** Numbers whose last digit is a checksum. */

const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

const digitsOf = (text: string): number[] => [...text].map(Number);

/** Digits are doubled every other place from the end, and the digits of the results are added up. */
const isCreditCard = (text: string): boolean => {
  const number = text.replace(/\D+/g, '');
  if (!CREDIT_CARD.test(number)) return false;
  const sum = digitsOf(number)
    .reverse()
    .map((digit, place) => (place % 2 === 0 ? digit : digit * 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
};

const withoutSeparators = (text: string): string => text.replace(/[\s-]+/g, '');

const isIsbn10 = (text: string): boolean => {
  const number = withoutSeparators(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(number)) return false;
  const sum = [...number]
    .map((char) => (char === 'X' ? 10 : Number(char)))
    .reduce((total, digit, place) => total + digit * (place + 1), 0);
  return sum % 11 === 0;
};

const isIsbn13 = (text: string): boolean => {
  const number = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(number)) return false;
  const sum = digitsOf(number).reduce(
    (total, digit, place) => total + digit * (place % 2 === 0 ? 1 : 3),
    0,
  );
  return sum % 10 === 0;
};

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
