/** Writes, and takes apart, the few ASN.1 types that an X.509 certificate is made of, in DER. */

const lengthOf = (size: number): Buffer => {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
};

const tagged = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);

export const sequence = (...items: readonly Uint8Array[]): Buffer =>
  tagged(0x30, Buffer.concat(items));
export const set = (...items: readonly Uint8Array[]): Buffer => tagged(0x31, Buffer.concat(items));
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const octetString = (content: Uint8Array): Buffer => tagged(0x04, content);
export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text));

/** A positive integer, as big-endian bytes; a leading zero keeps the sign bit clear. */
export const integer = (bytes: Uint8Array): Buffer =>
  tagged(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

export const bitString = (content: Uint8Array, unusedBits = 0): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));

export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let remainder = arc >> 7; remainder > 0; remainder >>= 7)
      groups.unshift((remainder & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
};

/** UTCTime up to 2049, GeneralizedTime after, as X.509 demands. */
export const time = (moment: Date): Buffer => {
  const digits = moment.toISOString().replace(/\.\d+|[-:T]/g, '');
  return moment.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
};

/** A context tag around a complete value. */
export const explicit = (tag: number, content: Uint8Array): Buffer => tagged(0xa0 | tag, content);
/** A context tag in place of a primitive value's own. */
export const implicit = (tag: number, content: Uint8Array): Buffer => tagged(0x80 | tag, content);

interface Header {
  /** Bounds of the content. */
  readonly start: number;
  readonly end: number;
}

const headerOf = (der: Buffer): Header => {
  const first = der[1] ?? 0;
  if (first < 0x80) return { start: 2, end: 2 + first };
  const start = 2 + (first & 0x7f);
  return { start, end: start + der.readUIntBE(2, start - 2) };
};

/** The content of the first value. */
export const contentOf = (der: Buffer): Buffer => {
  const { start, end } = headerOf(der);
  return der.subarray(start, end);
};

/** Values that stand behind each other, each with its tag. */
export const splitDer = (der: Buffer): readonly Buffer[] => {
  const values: Buffer[] = [];
  for (let rest = der; rest.length > 0; rest = rest.subarray(headerOf(rest).end)) {
    values.push(rest.subarray(0, headerOf(rest).end));
  }
  return values;
};
