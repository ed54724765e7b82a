import type { KubeObject, WrittenMeta } from './object-meta.ts';

declare const phantom: unique symbol;

/** Description of a kind, built-in or custom, that lets a client address its objects. */
export interface ResourceKind<S extends KubeObject = KubeObject, W = WrittenObject> {
  /** The API group; the empty string is the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly [phantom]?: { readonly stored: S; readonly written: W };
}

/** The least that may be written of an object whose kind is not known in advance. */
export interface WrittenObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: WrittenMeta;
}

export type StoredObjectOf<K> = K extends { readonly [phantom]?: { readonly stored: infer S } }
  ? S
  : never;
export type WrittenObjectOf<K> = K extends { readonly [phantom]?: { readonly written: infer W } }
  ? W
  : never;

export const apiVersionOf = (kind: { readonly group: string; readonly version: string }): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
