import { readFileSync } from 'node:fs';
import type { JsonValue } from '@perigee/schema/json';

/** A field of a built-in type, as the Go sources declare it. */
export interface TableField {
  readonly name: string;
  /** Spelled as in Go: `*int32`, `[]core.v1.Volume`, `map[string]Quantity`. */
  readonly type: string;
  /** Its number on the wire. */
  readonly number: number;
  /** True if JSON leaves the field out when it is empty (but never a struct), or when it is zero. */
  readonly omit?: 'empty' | 'zero';
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'granular' | 'atomic';
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

/** A struct whose fields are fields of the outer one in JSON, and a message of its own on the wire. */
export interface InlineStruct {
  readonly inline: string;
  readonly number: number;
}

export interface StructType {
  readonly structType?: 'granular' | 'atomic';
  /** True if it is an object with `apiVersion` and `kind`, which are in its envelope on the wire. */
  readonly isObject?: boolean;
  readonly fields: readonly (TableField | InlineStruct)[];
}

/** A struct, the values of a string, or a list that is a message on the wire. */
export type TableType =
  | StructType
  | { readonly enum: readonly string[] }
  | { readonly list: string };

export interface TableSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface TableResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly TableSubresource[];
}

export interface BuiltinTable {
  readonly generatedBy: string;
  readonly from: readonly string[];
  readonly types: { readonly [name: string]: TableType };
  readonly resources: readonly TableResource[];
}

let table: BuiltinTable | undefined;

/** All facts about the built-in kinds, read on first use. `tools/builtin-table` writes the file. */
export const builtinTable = (): BuiltinTable => {
  table ??= JSON.parse(
    readFileSync(new URL('./table.json', import.meta.url), 'utf8'),
  ) as BuiltinTable;
  return table;
};

export const structNamed = (name: string): StructType => {
  const type = builtinTable().types[name];
  if (type === undefined || !('fields' in type)) throw new Error(`no built-in struct ${name}`);
  return type;
};

/** The fields that a struct has in JSON, those of the structs inlined in it among them. */
export const fieldsNamed = (structName: string): readonly TableField[] =>
  structNamed(structName).fields.flatMap((field) =>
    'inline' in field ? fieldsNamed(field.inline) : [field],
  );

/** The default of a field, unless it is what Go would leave out again. */
export const defaultOf = ({ default: value, omit, type }: TableField): JsonValue | undefined => {
  const isZero = value === '' || value === 0 || value === false;
  return isZero && omit !== undefined && !type.startsWith('*') ? undefined : value;
};
