import type { JsonObject, JsonValue } from '../json.ts';
import { present, unlessEmpty } from '../present.ts';
import {
  type Fields,
  node,
  type Required,
  type Schema,
  type StoredFields,
  type WrittenFields,
} from './schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

type Checks<K extends keyof StructuralSchema> = Pick<StructuralSchema, K>;
type StringChecks = Checks<'minLength' | 'maxLength' | 'pattern' | 'format'>;
type NumberChecks = Checks<'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum'>;
type ListChecks = Checks<'minItems' | 'maxItems'>;
type MapChecks = Checks<'minProperties' | 'maxProperties'>;

export const string = (description: string, checks: StringChecks = {}): Required<string> =>
  node({ type: 'string', description, ...checks });

/** One of a closed list of words. */
export const oneOf = <const V extends string>(
  description: string,
  values: readonly V[],
): Required<V> => node({ type: 'string', description, enum: values });

export const boolean = (description: string): Required<boolean> =>
  node({ type: 'boolean', description });

export const int32 = (description: string, checks: NumberChecks = {}): Required<number> =>
  node({ type: 'integer', format: 'int32', description, ...checks });

/** A bigint only where a number could not hold it: callers convert it before they calculate. */
export const int64 = (description: string, checks: NumberChecks = {}): Required<number | bigint> =>
  node({ type: 'integer', format: 'int64', description, ...checks });

/** A moment in RFC 3339, to the second or finer. */
export const time = (description: string): Required<string> =>
  node({ type: 'string', format: 'date-time', description });

export const intOrString = (description: string): Required<number | string> =>
  node({
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    description,
  });

export const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** An amount such as `500m`, `2Gi` or `4`. */
export const quantity = (description: string): Required<number | string> =>
  node({
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: QUANTITY,
    description,
  });

export const object = <const F extends Fields>(
  description: string,
  fields: F,
): Required<StoredFields<F>, WrittenFields<F>> => {
  const requiredFields = Object.keys(fields).filter(
    (name) => fields[name]?.presence === 'required',
  );
  return node({
    type: 'object',
    description,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, field.openapi]),
    ),
    ...present({ required: unlessEmpty(requiredFields) }),
  });
};

/** The object is replaced as a whole: its fields belong together and have one owner. */
export const atomic = <S, W>(schema: Schema<S, W>): Required<S, W> =>
  node({ ...schema.openapi, 'x-kubernetes-map-type': 'atomic' });

/** A list that is replaced as a whole. */
export const list = <S, W>(
  description: string,
  item: Schema<S, W>,
  checks: ListChecks = {},
): Required<readonly S[], readonly W[]> =>
  node({
    type: 'array',
    description,
    items: item.openapi,
    'x-kubernetes-list-type': 'atomic',
    ...checks,
  });

/** A list of scalars without repetition, merged element by element. */
export const set = <S extends string | number>(
  description: string,
  item: Schema<S>,
  checks: ListChecks = {},
): Required<readonly S[]> =>
  node({
    type: 'array',
    description,
    items: item.openapi,
    'x-kubernetes-list-type': 'set',
    ...checks,
  });

/** A list of objects keyed by the named fields, merged element by element. */
export const listMap = <S, W>(
  description: string,
  keys: readonly (keyof S & string)[],
  item: Schema<S, W>,
  checks: ListChecks = {},
): Required<readonly S[], readonly W[]> =>
  node({
    type: 'array',
    description,
    items: item.openapi,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    ...checks,
  });

export const map = <S, W>(
  description: string,
  value: Schema<S, W>,
  checks: MapChecks = {},
): Required<{ readonly [key: string]: S }, { readonly [key: string]: W }> =>
  node({ type: 'object', description, additionalProperties: value.openapi, ...checks });

/** Any JSON value, kept as it is. */
export const anything = (description: string): Required<JsonValue> =>
  node({ 'x-kubernetes-preserve-unknown-fields': true, description });

/** A JSON object whose fields this definition does not name, kept as it is. */
export const anyObject = <T = JsonObject>(description: string): Required<T> =>
  node({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, description });

/** The named fields are checked; other fields are kept as they are. */
export const open = <S, W>(schema: Schema<S, W>): Required<S & JsonObject, W & JsonObject> =>
  node({ ...schema.openapi, 'x-kubernetes-preserve-unknown-fields': true });

/** A whole Kubernetes object of any kind, carried inside another. */
export const embeddedObject = (description: string): Required<JsonObject> =>
  node({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-embedded-resource': true,
    description,
  });
