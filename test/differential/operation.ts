import type { JsonObject, JsonValue } from '@perigee/schema/json';

/** One field that a write sets; without a value it takes the field away. */
export interface Change {
  readonly path: readonly string[];
  readonly value?: JsonValue;
}

export type PatchType = 'json' | 'merge' | 'strategic';

/**
 * Something to ask of a server. It is plain data that holds for any server: what only the server can
 * know (uids, versions, generated names, the live object) is filled in when the request is made.
 */
export interface Operation {
  readonly verb:
    | 'create'
    | 'update'
    | 'patch'
    | 'apply'
    | 'delete'
    | 'delete-collection'
    | 'get'
    | 'list';
  readonly kind: string;
  /** One of the few objects of the kind; `g` is the one whose name the server generated last. */
  readonly slot: string;
  readonly subresource?: 'status' | 'scale';
  readonly query?: { readonly [name: string]: string };
  /** Base of an update: the object as last read, as first read, or the least one of its kind. */
  readonly base?: 'live' | 'first' | 'least';
  /** Version that an update names. */
  readonly version?: 'live' | 'first' | 'none';
  readonly changes?: readonly Change[];
  readonly patchType?: PatchType;
  readonly patch?: JsonValue;
  /** The options of a deletion. */
  readonly body?: JsonObject;
  /** Says one field of the body twice. */
  readonly repeats?: boolean;
  readonly generatesName?: boolean;
}

/** Placeholders in bodies, which become what the server at hand has given the object. */
export const UID = '@uid@';
export const VERSION = '@version@';

export interface Sequence {
  readonly seed: number;
  readonly operations: readonly Operation[];
}
