import type { StructuralSchema } from '../structural/structural-schema.ts';
import type { PathStep } from '../structural/walk.ts';

export interface BadRulePath {
  readonly error: string;
}

const TOKEN = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

const ESCAPES: { readonly [char: string]: string } = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char);

/**
 * Reads the `fieldPath` of a rule, such as `.spec.name` or `.labels['a.b/c']`, against the schema that
 * the rule stands on. It may name properties and keys of maps, but no elements of lists.
 */
export const parseRulePath = (
  path: string,
  schema: StructuralSchema,
): readonly PathStep[] | BadRulePath => {
  const steps: PathStep[] = [];
  let node: StructuralSchema | undefined = schema;
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < path.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(path);
    if (match === null) return { error: `expected [ or . but got: ${path.slice(at)}` };
    at = TOKEN.lastIndex;
    const name = match[1] ?? unescaped(match[2] ?? '');
    const current: StructuralSchema = node ?? {};
    const { properties, additionalProperties } = current;
    if (properties !== undefined && Object.hasOwn(properties, name)) {
      steps.push(name);
      node = properties[name];
    } else if (properties === undefined && typeof additionalProperties === 'object') {
      steps.push({ key: name });
      node = additionalProperties;
    } else return { error: 'does not refer to a valid field' };
  }
  return steps;
};
