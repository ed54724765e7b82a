/** Limits of all warnings together, since clients limit the size of heads: the first are kept, and truncated. */
const MOST_CHARACTERS = 4096;
const MOST_WARNINGS = 16;
const LONGEST_OF_MANY = MOST_CHARACTERS / MOST_WARNINGS;

const brief = (warnings: readonly string[]): readonly string[] => {
  const once = [...new Set(warnings)];
  const isShort = once.length < MOST_CHARACTERS && once.join('').length <= MOST_CHARACTERS;
  return isShort
    ? once
    : once.slice(0, MOST_WARNINGS).map((text) => text.slice(0, LONGEST_OF_MANY));
};

/** Headers take no characters beyond Latin-1, and no line breaks. */
const quoted = (text: string): string => {
  const plain = text.replace(/\s+/g, ' ').replace(/[^\x20-\x7e\x80-\xff]/g, '?');
  return `"${plain.replace(/[\\"]/g, '\\$&')}"`;
};

/** The values of the `Warning` headers with these texts; kubectl shows them as they are. */
export const warningHeaders = (warnings: readonly string[]): string[] =>
  brief(warnings).map((text) => `299 - ${quoted(text)}`);
