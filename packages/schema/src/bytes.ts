/** Bytes as every JavaScript has them: the kinds are used in browsers, too, where there is no Buffer. */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export const utf8Bytes = (text: string): Uint8Array => encoder.encode(text);

/** Decodes UTF-8; invalid bytes become the replacement character. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes);

export const utf8Length = (text: string): number => utf8Bytes(text).length;

export const hexText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const base64Text = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Reads as much as there is: what judges formats has refused the rest before. */
export const base64Bytes = (text: string): Uint8Array => {
  const digits = text.replace(/=.*$/s, '').replace(/[^A-Za-z0-9+/]/g, '');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
};

/** Negative, zero or positive, byte after byte. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
};
