/** A block of PEM. */
export interface PemBlock {
  readonly type: string;
  readonly der: Buffer;
}

const BLOCK = /^-----BEGIN ([A-Z0-9 ]+)-----\r?\n((?:[A-Za-z0-9+/=]+\r?\n)*)-----END \1-----\s*$/gm;

/** The blocks of a text, one after the other. */
export const pemBlocks = (text: string): readonly PemBlock[] =>
  [...text.matchAll(BLOCK)].map(([, type = '', body = '']) => ({
    type,
    der: Buffer.from(body, 'base64'),
  }));

const SEQUENCE = 0x30;

/** Bounds of the content of the DER value at an offset; undefined if there is no such value. */
const contentOf = (der: Buffer, at: number): readonly [start: number, end: number] | undefined => {
  const first = der[at + 1];
  if (first === undefined || der[at] !== SEQUENCE) return undefined;
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  if (bytes > 4 || at + 2 + bytes > der.length) return undefined;
  const length = bytes === 0 ? first : der.readUIntBE(at + 2, bytes);
  const start = at + 2 + bytes;
  return start + length > der.length ? undefined : [start, start + length];
};

/** True if it has the form of a signed request: what is asked for, how it was signed, and the signature. */
export const isSignedRequest = (der: Buffer): boolean => {
  const [start, end] = contentOf(der, 0) ?? [];
  if (start === undefined || end !== der.length) return false;
  const [, algorithmAt] = contentOf(der, start) ?? [];
  const [, algorithm] = algorithmAt === undefined ? [] : (contentOf(der, algorithmAt) ?? []);
  return algorithm !== undefined && algorithm < end;
};
