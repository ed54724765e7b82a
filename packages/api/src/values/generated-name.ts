/** Without vowels and look-alikes, so that chance spells no words. */
const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_PREFIX = 63 - SUFFIX_LENGTH;

/** A name that begins with the prefix, cut to fit, and ends by chance, as the server makes it up. */
export const generateName = (prefix: string, random: () => number): string => {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () =>
    SAFE_ALPHABET.charAt(Math.floor(random() * SAFE_ALPHABET.length)),
  );
  return prefix.slice(0, LONGEST_PREFIX) + suffix.join('');
};

/** Writes a text, such as a hash, in the alphabet of generated names. */
export const safeEncode = (text: string): string =>
  Array.from(text, (character) =>
    SAFE_ALPHABET.charAt((character.codePointAt(0) ?? 0) % SAFE_ALPHABET.length),
  ).join('');
