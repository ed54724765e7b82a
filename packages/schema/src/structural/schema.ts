import type { JsonValue } from '../json.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

declare const phantom: unique symbol;

/** True if a field must be written, may be left out, or is filled in when left out. */
export type Presence = 'required' | 'optional' | 'defaulted';

/**
 * One node of a kind's definition: the structural schema that a server uses, and, in the type
 * system only, the form that is stored and the form that a user may write.
 */
export interface Schema<S = unknown, W = S, P extends Presence = Presence> {
  readonly openapi: StructuralSchema;
  readonly presence: P;
  readonly [phantom]?: { readonly stored: S; readonly written: W };
}

export type Required<S, W = S> = Schema<S, W, 'required'>;

/** The form kept by the server: defaults are present, everything is read-only. */
export type StoredOf<T> = T extends Schema<infer S, unknown> ? S : never;

/** The form that a user may send: what has a default may be left out. */
export type WrittenOf<T> = T extends { readonly [phantom]?: { readonly written: infer W } }
  ? W
  : never;

export type Fields = { readonly [name: string]: Schema };

type Flat<T> = { readonly [K in keyof T]: T[K] };

export type StoredFields<F extends Fields> = Flat<
  { [K in keyof F as F[K]['presence'] extends 'optional' ? never : K]: StoredOf<F[K]> } & {
    [K in keyof F as F[K]['presence'] extends 'optional' ? K : never]?: StoredOf<F[K]>;
  }
>;

export type WrittenFields<F extends Fields> = Flat<
  { [K in keyof F as F[K]['presence'] extends 'required' ? K : never]: WrittenOf<F[K]> } & {
    [K in keyof F as F[K]['presence'] extends 'required' ? never : K]?: WrittenOf<F[K]>;
  }
>;

export const node = <S, W = S>(openapi: StructuralSchema): Required<S, W> => ({
  openapi,
  presence: 'required',
});

/** The field may be left out, and then it is absent. */
export const optional = <S, W>(schema: Schema<S, W>): Schema<S, W, 'optional'> => ({
  openapi: schema.openapi,
  presence: 'optional',
});

/** The field may be left out, and then the server fills in this value. */
export const withDefault = <S, W>(
  value: NoInfer<W> & JsonValue,
  schema: Schema<S, W>,
): Schema<S, W, 'defaulted'> => ({
  openapi: { ...schema.openapi, default: value },
  presence: 'defaulted',
});

/** Adds CEL rules to a node; the server evaluates them after the plain checks. */
export const check = <S, W, P extends Presence>(
  schema: Schema<S, W, P>,
  ...rules: readonly ValidationRule[]
): Schema<S, W, P> => ({
  ...schema,
  openapi: {
    ...schema.openapi,
    'x-kubernetes-validations': [...(schema.openapi['x-kubernetes-validations'] ?? []), ...rules],
  },
});

/** Once set, the value stays. A field that may be left out must be guarded at its parent as well. */
export const immutable = <S, W, P extends Presence>(
  schema: Schema<S, W, P>,
  why = 'field is immutable',
): Schema<S, W, P> => check(schema, { rule: 'self == oldSelf', message: why });
