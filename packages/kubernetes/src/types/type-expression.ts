/** A type as a field of the table spells it, taken apart. */
export type TypeExpression =
  | { readonly form: 'pointer' | 'list' | 'map'; readonly of: TypeExpression }
  | { readonly form: 'named'; readonly name: string };

const PREFIXES = [
  ['*', 'pointer'],
  ['[]', 'list'],
  ['map[string]', 'map'],
] as const;

export const parseType = (text: string): TypeExpression => {
  for (const [prefix, form] of PREFIXES) {
    if (text.startsWith(prefix)) return { form, of: parseType(text.slice(prefix.length)) };
  }
  return { form: 'named', name: text };
};
