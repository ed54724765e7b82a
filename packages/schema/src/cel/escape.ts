const KEYWORDS = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const WORDS: { readonly [text: string]: string } = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Words of CEL's grammar that stand for a field when they follow a dot. */
export const isSelectableKeyword = (property: string): boolean =>
  KEYWORDS.has(property) && !/^(true|false|null|in)$/.test(property);

/** The name by which a CEL expression reaches a property; nothing when it cannot reach it. */
export const celNameOf = (property: string): string | undefined => {
  if (KEYWORDS.has(property)) return `__${property}__`;
  if (!/^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/.test(property)) return undefined;
  return property.replace(/__|[.\-/]/g, (match) => WORDS[match] ?? match);
};
