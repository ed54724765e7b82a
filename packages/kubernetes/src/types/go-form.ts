import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { type GoValue, goValue } from './go-values.ts';
import { builtinTable, defaultOf, fieldsNamed, structNamed, type TableField } from './table.ts';
import { parseType, type TypeExpression } from './type-expression.ts';
import { type FormUse, useOfField } from './use.ts';

/** Brings an object into a form; gives the very same object when it has that form already. */
export type Form = (object: JsonObject) => JsonObject;

interface FieldForm {
  readonly name: string;
  /** The value as it is to be; undefined when the field is to be left out. */
  readonly present: (value: JsonValue) => JsonValue | undefined;
  readonly absent: () => JsonValue | undefined;
}

const forms = {
  written: new Map<string, Form>(),
  reported: new Map<string, Form>(),
  unset: new Map<string, Form>(),
};

/**
 * The form that a built-in object has after kube-apiserver has read it into Go and written it again:
 * empty fields that Go leaves out are gone, those that it always writes are there, quantities and times
 * are in their canonical spelling. Required fields that are missing stay missing, for validation to report.
 */
export const goForm = (typeName: string): Form => structForm(typeName, 'written');

/** JSON that Go writes for the zero value of the type. */
export const goZero = (typeName: string): JsonObject => {
  const { apiVersion, kind, ...zero } = structForm(typeName, 'unset')({});
  return zero;
};

const structForm = (name: string, use: FormUse): Form => {
  const cachedForm = forms[use].get(name);
  if (cachedForm !== undefined) return cachedForm;
  const struct = structNamed(name);
  let fields: readonly FieldForm[] | undefined;
  const form: Form = (object) => {
    fields ??= fieldsNamed(name).map((field) => fieldForm(field, useOfField(struct, field, use)));
    return withFields(object, fields);
  };
  forms[use].set(name, form);
  return form;
};

const withFields = (object: JsonObject, fields: readonly FieldForm[]): JsonObject => {
  let copy: { [name: string]: JsonValue | undefined } | undefined;
  for (const { name, present, absent } of fields) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    const formed = value === undefined ? absent() : present(value);
    if (formed === value) continue;
    copy ??= { ...object };
    if (formed === undefined) delete copy[name];
    else copy[name] = formed;
  }
  return copy ?? object;
};

const ZEROS: { readonly [scalar: string]: JsonValue } = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
};

const STRUCT_ZEROS: { readonly [special: string]: JsonValue } = {
  Quantity: '0',
  Time: null,
  MicroTime: null,
  RawExtension: null,
};

const fieldForm = (field: TableField, use: FormUse): FieldForm => {
  const type = parseType(field.type);
  const convert = valueForm(type, use) ?? ((value) => value);
  const absent = absentForm(field, type, use);
  const isCollection = type.form === 'list' || type.form === 'map';
  // An empty collection is stored as none at all, which is null where Go writes the field.
  const nothing = isCollection && field.omit === undefined ? () => null : absent;
  // An empty list of managers is a request to forget them, and must stay visible.
  const asksToForget = field.name === 'managedFields';
  const isLeftOut =
    (isCollection && !asksToForget) ||
    (field.omit !== undefined && type.form === 'named' && isScalar(type.name))
      ? emptyOf(type)
      : () => false;
  return {
    name: field.name,
    absent,
    present: (value) => (value === null || isLeftOut(value) ? nothing() : convert(value)),
  };
};

const isScalar = (name: string): boolean => {
  const type = builtinTable().types[name];
  return name in ZEROS || name === 'bytes' || (type !== undefined && 'enum' in type);
};

/** True for a value that is empty for its type; a value of another type stays, for validation to refuse. */
const emptyOf = (type: TypeExpression): ((value: JsonValue) => boolean) => {
  if (type.form === 'list') return (value) => Array.isArray(value) && value.length === 0;
  if (type.form === 'map') return (value) => isJsonObject(value) && Object.keys(value).length === 0;
  const zero = type.form === 'named' ? (ZEROS[type.name] ?? '') : undefined;
  return (value) => value === zero;
};

const absentForm = (field: TableField, type: TypeExpression, use: FormUse): FieldForm['absent'] => {
  const { omit, required = false } = field;
  const value = defaultOf(field);
  if (value !== undefined && use !== 'unset') return () => value;
  if (type.form !== 'named') {
    const isNull = omit === undefined && !(required && use === 'written');
    return () => (isNull ? null : undefined);
  }
  const { name } = type;
  if (omit === 'zero') return () => undefined;
  if (name in STRUCT_ZEROS) return () => STRUCT_ZEROS[name];
  if (isScalar(name)) {
    const zero = name === 'bytes' ? null : (ZEROS[name] ?? '');
    const isWritten = omit === undefined && !(required && use === 'written');
    return () => (isWritten ? zero : undefined);
  }
  if (builtinTable().types[name] === undefined) return () => undefined;
  return () => structForm(name, use)({});
};

/** Encoder of the values of a type; undefined if they are encoded as they are. */
const valueForm = (type: TypeExpression, use: FormUse): GoValue | undefined => {
  if (type.form === 'pointer') return valueForm(type.of, use);
  if (type.form === 'named') {
    const typeEntry = builtinTable().types[type.name];
    if (typeEntry === undefined || !('fields' in typeEntry)) return goValue(type.name);
    const form = structForm(type.name, use);
    return (value) => (isJsonObject(value) ? form(value) : value);
  }
  const item = valueForm(type.of, use);
  if (item === undefined) return undefined;
  return type.form === 'list' ? listForm(item) : mapForm(item);
};

const listForm =
  (item: GoValue): GoValue =>
  (list) => {
    if (!Array.isArray(list)) return list;
    const formed = list.map(item);
    return formed.every((value, index) => value === list[index]) ? list : formed;
  };

const mapForm =
  (item: GoValue): GoValue =>
  (map) => {
    if (!isJsonObject(map)) return map;
    const entries = Object.entries(map).map(([key, value = null]) => [key, item(value)] as const);
    return entries.every(([key, value]) => value === map[key]) ? map : Object.fromEntries(entries);
  };
