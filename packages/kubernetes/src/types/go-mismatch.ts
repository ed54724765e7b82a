import { isInt64 } from '@perigee/schema/go-text';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { isByte } from './go-values.ts';
import { builtinTable, fieldsNamed } from './table.ts';
import { parseType, type TypeExpression } from './type-expression.ts';

/** Path of a value: the fields that lead to it, and the Go struct of the last of them. */
interface Place {
  readonly struct: string;
  readonly path: readonly string[];
}

const NUMBERS: { readonly [type: string]: (value: number | bigint) => boolean } = {
  uint8: isByte,
  int32: (value) => isInt64(value) && value >= -(2 ** 31) && value < 2 ** 31,
  int64: isInt64,
  float64: () => true,
};

const QUANTITY = /^[+-]?[0-9.]+(?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const BAD_QUANTITY =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Go's names of types: the last part of the package, and some by a name of their own. */
const GO_NAMES: { readonly [name: string]: string } = {
  bytes: '[]uint8',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  RawExtension: 'runtime.RawExtension',
};

/** Go takes bytes also one by one. */
const BYTES: TypeExpression = { form: 'list', of: { form: 'named', name: 'uint8' } };

const goType = (type: TypeExpression): string => {
  switch (type.form) {
    case 'pointer':
      return goType(type.of);
    case 'list':
      return `[]${goType(type.of)}`;
    case 'map':
      return `map[string]${goType(type.of)}`;
    case 'named':
      return GO_NAMES[type.name] ?? type.name.split('.').slice(-2).join('.');
  }
};

const isNumber = (value: JsonValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** Name of a JSON value in the errors of Go's decoder. */
export const jsonKind = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

/** Beyond 64 bits a number is a float by now, and may have been written with other digits. */
const literalOf = (value: number | bigint): string =>
  Math.abs(Number(value)) < 1e21 && Number.isInteger(Number(value))
    ? String(BigInt(value))
    : String(value);

const mismatch = (value: JsonValue, type: TypeExpression, { struct, path }: Place): string => {
  const target = goType(type);
  const valueText =
    isNumber(value) && target in NUMBERS ? `number ${literalOf(value)}` : jsonKind(value);
  const where = path.length === 0 ? 'value' : `struct field ${struct}.${path.join('.')}`;
  return `json: cannot unmarshal ${valueText} into Go ${where} of type ${target}`;
};

const firstOf = <T>(items: Iterable<T>, find: (item: T) => string | undefined) => {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
};

const textProblem = (name: string, text: string): string | undefined => {
  if (name === 'Quantity') return QUANTITY.test(text) ? undefined : BAD_QUANTITY;
  if (name === 'bytes') {
    const at = text.search(/[^A-Za-z0-9+/=\r\n]/);
    return at < 0 ? undefined : `illegal base64 data at input byte ${at}`;
  }
  if (text === '' || TIME.test(text)) return undefined;
  const layout = `2006-01-02T15:04:05${name === 'Time' ? '' : '.000000'}Z07:00`;
  return `parsing time "${text}" as "${layout}": cannot parse "${text}" as "2006"`;
};

const namedProblem = (
  value: JsonValue,
  type: TypeExpression & { readonly form: 'named' },
  place: Place,
): string | undefined => {
  const { name } = type;
  const wrong = () => mismatch(value, type, place);
  const fits = NUMBERS[name];
  if (fits !== undefined) return isNumber(value) && fits(value) ? undefined : wrong();
  if (name === 'bool') return typeof value === 'boolean' ? undefined : wrong();
  if (name === 'string') return typeof value === 'string' ? undefined : wrong();
  if (name === 'Quantity' && isNumber(value)) return undefined;
  if (name === 'Quantity' && typeof value !== 'string') return BAD_QUANTITY;
  if (name === 'bytes' && Array.isArray(value)) return problemOf(value, BYTES, place);
  if (name === 'bytes' || name === 'Time' || name === 'MicroTime' || name === 'Quantity') {
    return typeof value === 'string' ? textProblem(name, value) : wrong();
  }
  const typeEntry = builtinTable().types[name];
  if (typeEntry === undefined) return undefined;
  if ('enum' in typeEntry) return typeof value === 'string' ? undefined : wrong();
  if ('list' in typeEntry)
    return problemOf(value, { form: 'list', of: parseType(typeEntry.list) }, place);
  if (!isJsonObject(value)) return wrong();
  const fields = new Map(fieldsNamed(name).map((field) => [field.name, parseType(field.type)]));
  const struct = name.split('.').at(-1) ?? name;
  return firstOf(Object.entries(value), ([key, item = null]) => {
    const field = fields.get(key);
    return field && problemOf(item, field, { struct, path: [...place.path, key] });
  });
};

const problemOf = (value: JsonValue, type: TypeExpression, place: Place): string | undefined => {
  if (value === null) return undefined;
  switch (type.form) {
    case 'pointer':
      return problemOf(value, type.of, place);
    case 'list':
      return Array.isArray(value)
        ? firstOf(value as readonly JsonValue[], (item) => problemOf(item, type.of, place))
        : mismatch(value, type, place);
    case 'map':
      return isJsonObject(value)
        ? firstOf(Object.values(value), (item = null) => problemOf(item, type.of, place))
        : mismatch(value, type, place);
    case 'named':
      return namedProblem(value, type, place);
  }
};

/**
 * Why Go cannot read a value as a built-in type, such as `core.v1.Pod`, in the words of its decoder;
 * undefined when it can. The first problem in the order of the document counts.
 */
export const goMismatch = (typeName: string, value: JsonValue): string | undefined =>
  problemOf(value, { form: 'named', name: typeName }, { struct: '', path: [] });
