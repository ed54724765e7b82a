import { elementsOf, type FieldSet, isMember } from '@perigee/kubernetes/meta/field-set';
import { parseExactJson } from '@perigee/schema/exact-json';
import type { JsonObject, JsonValue } from '@perigee/schema/json';

/** JSON as Go writes it, which is safe inside HTML. */
export const goJson = (value: JsonValue): string => {
  if (typeof value === 'string' && /^[\w./:-]*$/.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
};

export const fieldElement = (name: string): string => `f:${name}`;

/** The item of a set. */
export const valueElement = (value: JsonValue): string => `v:${goJson(value)}`;

/** The item of a list that is a map; the keys come in the order of their names. */
export const keyElement = (keys: readonly (readonly [name: string, value: JsonValue])[]): string =>
  `k:{${keys.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;

const describeValue = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value);

const describeElement = (element: string): string => {
  const content = element.slice(2);
  if (element.startsWith('f:')) return `.${content}`;
  if (element.startsWith('v:')) return `[=${describeValue(parseExactJson(content))}]`;
  if (element.startsWith('i:')) return `[${content}]`;
  const keys = parseExactJson(content) as JsonObject;
  return `[${Object.keys(keys)
    .map((name) => `${name}=${describeValue(keys[name])}`)
    .join(',')}]`;
};

/** A path as people read it: `.spec.ports[containerPort=80,protocol="TCP"].name`. */
export const describePath = (path: readonly string[]): string => path.map(describeElement).join('');

/** The members of a set, the shorter paths of a node first. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Generator<string[]> {
  const elements = elementsOf(set).sort();
  for (const element of elements) {
    if (isMember(set[element] as FieldSet)) yield [...prefix, element];
  }
  for (const element of elements) yield* pathsOf(set[element] as FieldSet, [...prefix, element]);
}
