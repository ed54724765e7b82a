import { goQuote } from '@perigee/schema/go-text';
import { MalformedBodyError } from '../../errors.ts';
import { DEEPEST, MOST_DUPLICATES } from './limits.ts';

const WHITESPACE = /[ \t\r\n]*/y;
const PLAIN_TEXT = /[ !\u0023-\u005b\u005d-\uffff]*/y;
const DIGITS = /[0-9]*/y;
const HEX = /[0-9a-fA-F]/;
const LITERALS: { readonly [first: string]: string } = { t: 'true', f: 'false', n: 'null' };

/** A character as Go shows it in its complaints. Go reads bytes, so only the first of several is shown. */
const goChar = (text: string, at: number): string => {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  const byte = char.charCodeAt(0) < 0x80 ? char : String.fromCharCode(Buffer.from(char)[0] ?? 0);
  return `'${goQuote(byte).slice(1, -1)}'`;
};

/**
 * Scans JSON slowly, for the position of an error in the words of Go, and for duplicate fields. Throws
 * `MalformedBodyError`. Returns the paths of the duplicate fields.
 */
export const scanJson = (text: string): readonly string[] => {
  const duplicates = new Set<string>();
  let at = 0;

  const fail = (context: string): never => {
    if (at >= text.length) throw new MalformedBodyError('syntax', 'unexpected end of JSON input');
    throw new MalformedBodyError('syntax', `invalid character ${goChar(text, at)} ${context}`);
  };
  const skip = (pattern: RegExp): boolean => {
    const start = at;
    pattern.lastIndex = at;
    pattern.test(text);
    at = pattern.lastIndex;
    return at > start;
  };

  const readString = (): string => {
    const start = at;
    at += 1;
    for (;;) {
      skip(PLAIN_TEXT);
      const char = text[at];
      if (char === '"') break;
      if (char !== '\\') fail('in string literal');
      at += 1;
      if (text[at] === 'u') {
        for (let digit = 0; digit < 4; digit += 1) {
          at += 1;
          if (!HEX.test(text[at] ?? '')) fail('in \\u hexadecimal character escape');
        }
      } else if (!'"\\/bfnrt'.includes(text[at] ?? ' ')) fail('in string escape code');
      at += 1;
    }
    at += 1;
    return JSON.parse(text.slice(start, at)) as string;
  };

  const readNumber = (): void => {
    const start = at;
    if (text[at] === '-') at += 1;
    if (text[at] === '0') at += 1;
    else if (!skip(DIGITS)) fail('in numeric literal');
    if (text[at] === '.') {
      at += 1;
      if (!skip(DIGITS)) fail('after decimal point in numeric literal');
    }
    if (text[at] === 'e' || text[at] === 'E') {
      at += 1;
      if (text[at] === '+' || text[at] === '-') at += 1;
      if (!skip(DIGITS)) fail('in exponent of numeric literal');
    }
    const literal = text.slice(start, at);
    if (Number.isFinite(Number(literal))) return;
    throw new MalformedBodyError(
      'number',
      `json: cannot unmarshal number ${literal} into Go value of type float64`,
    );
  };

  const readLiteral = (word: string): void => {
    for (const letter of word.slice(1)) {
      at += 1;
      if (text[at] !== letter) fail(`in literal ${word} (expecting '${letter}')`);
    }
    at += 1;
  };

  const enter = (depth: number): void => {
    if (depth > DEEPEST) fail('exceeded max depth');
    at += 1;
    skip(WHITESPACE);
  };

  const readObject = (path: string, depth: number): void => {
    enter(depth);
    if (text[at] === '}') {
      at += 1;
      return;
    }
    const keys = new Set<string>();
    for (;;) {
      if (text[at] !== '"') fail('looking for beginning of object key string');
      const key = readString();
      const field = path === '' ? key : `${path}.${key}`;
      if (keys.has(key) && duplicates.size < MOST_DUPLICATES) duplicates.add(field);
      keys.add(key);
      skip(WHITESPACE);
      if (text[at] !== ':') fail('after object key');
      at += 1;
      readValue(field, depth);
      const end = text[at];
      if (end !== ',' && end !== '}') fail('after object key:value pair');
      at += 1;
      if (end === '}') return;
      skip(WHITESPACE);
    }
  };

  const readArray = (path: string, depth: number): void => {
    enter(depth);
    if (text[at] === ']') {
      at += 1;
      return;
    }
    for (let index = 0; ; index += 1) {
      readValue(`${path}[${index}]`, depth);
      const end = text[at];
      if (end !== ',' && end !== ']') fail('after array element');
      at += 1;
      if (end === ']') return;
    }
  };

  const readValue = (path: string, depth: number): void => {
    skip(WHITESPACE);
    const char = text[at] ?? '';
    const word = Object.hasOwn(LITERALS, char) ? LITERALS[char] : undefined;
    if (char === '{') readObject(path, depth + 1);
    else if (char === '[') readArray(path, depth + 1);
    else if (char === '"') readString();
    else if (word !== undefined) readLiteral(word);
    else if (char === '-' || (char >= '0' && char <= '9')) readNumber();
    else fail('looking for beginning of value');
    skip(WHITESPACE);
  };

  readValue('', 0);
  if (at < text.length) fail('after top-level value');
  return [...duplicates];
};
