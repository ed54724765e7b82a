import { utf8Length } from '../../bytes.ts';
import type { StructuralSchema } from '../../structural/structural-schema.ts';
import { resourceProperties } from '../declare.ts';
import { celNameOf } from '../escape.ts';
import type { Size } from './size.ts';

/** Upper bounds of the size of values of a schema. */
export interface DeclaredSize {
  /** The longest text, the most entries; of what has no size, none. */
  readonly most: number;
  /** The least that it takes in JSON. */
  readonly leastBytes: number;
  /** By the names that fields have in CEL. */
  readonly fields?: ReadonlyMap<string, DeclaredSize>;
  readonly key?: DeclaredSize;
  readonly element?: DeclaredSize;
}

/** No object is larger than a request may be. */
export const MOST_BYTES = 3 * 1024 * 1024;
const BRACKETS = 2;
const BYTES_PER_CHARACTER = 4;

/** The formats that are not just text: the most, and the least that they take. */
const FORMATS: ReadonlyMap<string, DeclaredSize> = new Map([
  ['duration', { most: 32, leastBytes: 3 }],
  ['date', { most: 12, leastBytes: 12 }],
  ['date-time', { most: 32, leastBytes: 21 }],
]);

const SIMPLE: ReadonlyMap<string, DeclaredSize> = new Map([
  ['boolean', { most: 0, leastBytes: 4 }],
  ['number', { most: 0, leastBytes: 1 }],
  ['integer', { most: 0, leastBytes: 1 }],
]);

const limit = (value: number | undefined, otherwise: number): number =>
  value === undefined ? otherwise : Math.max(0, value);

const longestOf = (values: readonly unknown[]): number =>
  values.reduce<number>(
    (longest, value) =>
      typeof value === 'string' ? Math.max(longest, utf8Length(value)) : longest,
    0,
  );

const textSize = ({ format = '', maxLength, enum: values }: StructuralSchema): DeclaredSize => {
  const formatSize = FORMATS.get(format);
  if (formatSize !== undefined) return formatSize;
  const longest = MOST_BYTES - BRACKETS;
  if (format === 'byte') return { most: limit(maxLength, longest), leastBytes: BRACKETS };
  if (maxLength !== undefined) {
    return { most: limit(maxLength, 0) * BYTES_PER_CHARACTER, leastBytes: BRACKETS };
  }
  return { most: values?.length ? longestOf(values) : longest, leastBytes: BRACKETS };
};

const objectSize = (schema: StructuralSchema, isResource: boolean): DeclaredSize => {
  const properties = isResource ? resourceProperties(schema) : (schema.properties ?? {});
  const requiredFields = new Set(schema.required);
  const fields = new Map<string, DeclaredSize>();
  let leastBytes = BRACKETS;
  for (const [name, property] of Object.entries(properties)) {
    const size = declareSize(property);
    if (size === undefined) continue;
    const celName = celNameOf(name);
    if (celName !== undefined) fields.set(celName, size);
    // Quotes, a colon and a comma. What has a default need not be sent.
    if (requiredFields.has(name) && property.default === undefined) {
      leastBytes += utf8Length(name) + size.leastBytes + 4;
    }
  }
  return { most: 0, leastBytes, fields };
};

const mapSize = (schema: StructuralSchema, values: StructuralSchema): DeclaredSize | undefined => {
  const element = declareSize(values);
  if (element === undefined) return undefined;
  const entries = Math.floor((MOST_BYTES - BRACKETS) / (element.leastBytes + 6));
  const key = { most: 0, leastBytes: BRACKETS };
  return { most: limit(schema.maxProperties, entries), leastBytes: BRACKETS, key, element };
};

const listSize = (schema: StructuralSchema, items: StructuralSchema): DeclaredSize | undefined => {
  const element = declareSize(items);
  if (element === undefined) return undefined;
  const entries = Math.floor((MOST_BYTES - BRACKETS) / (element.leastBytes + 1));
  return { most: limit(schema.maxItems, entries), leastBytes: BRACKETS, element };
};

/** Bounds of a value's size; undefined if expressions cannot use it. */
export const declareSize = (
  schema: StructuralSchema,
  isResource = schema['x-kubernetes-embedded-resource'] ?? false,
): DeclaredSize | undefined => {
  if (schema['x-kubernetes-int-or-string']) {
    const { maxLength } = schema;
    const most =
      maxLength === undefined ? MOST_BYTES - BRACKETS : limit(maxLength, 0) * BYTES_PER_CHARACTER;
    return { most, leastBytes: 1 };
  }
  const { items, additionalProperties } = schema;
  switch (schema.type) {
    case 'array':
      return items && listSize(schema, items);
    case 'object':
      return typeof additionalProperties === 'object'
        ? mapSize(schema, additionalProperties)
        : objectSize(schema, isResource);
    case 'string':
      return textSize(schema);
    default:
      return SIMPLE.get(schema.type ?? '');
  }
};

const below = (size: DeclaredSize, step: string): DeclaredSize | undefined => {
  switch (step) {
    case '@items':
    case '@values':
      return size.element;
    case '@keys':
      return size.key;
    default:
      return size.fields?.get(step);
  }
};

/** Size of the value at a path. The first step is a variable: all of them are like `self`. */
export const sizeAt = (root: DeclaredSize, path: readonly string[]): Size | undefined => {
  if (path.length === 0) return undefined;
  let foundSize: DeclaredSize | undefined = root;
  for (const step of path.slice(1)) foundSize = foundSize && below(foundSize, step);
  return foundSize && { min: 0, max: foundSize.most };
};
