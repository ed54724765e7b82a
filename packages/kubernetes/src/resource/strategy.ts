import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { FieldSet } from '../meta/field-set.ts';

type Validate = (
  object: JsonObject,
  old?: JsonObject,
  subresource?: string,
) => readonly FieldError[];

/** Behaviour of a kind beyond its schema. All functions are pure; all fields are optional. */
export interface Strategy {
  /** Gives the fields of an applied configuration, which is a part of an object, the names that are stored. */
  readonly rename?: (config: JsonObject) => JsonObject;
  /** Fills in what users may leave out, beyond the schema's own defaults. */
  readonly defaults?: (object: JsonObject) => JsonObject;
  /** An object in which nothing is set; its fields are not owned by the client that creates one. */
  readonly blank?: () => JsonObject;
  /** Brings an object that is to be created, or to replace `old`, into the form that is stored. */
  readonly prepare?: (object: JsonObject, old?: JsonObject, subresource?: string) => JsonObject;
  /** Checks beyond the schema. */
  readonly validate?: Validate;
  /** Checks that run first; a problem of these is reported alone. */
  readonly validateFirst?: Validate;
  /** The object that a subresource makes of the one proposed, by its name: the rest stays as it was. */
  readonly reach?: {
    readonly [subresource: string]: (proposed: JsonObject, old: JsonObject) => JsonObject;
  };
  /**
   * Fields that a write through a subresource cannot change, and so never owns; the empty name is the kind
   * itself. Default: all but the status for the subresource `status`, and the status for others.
   */
  readonly unreached?: { readonly [subresource: string]: FieldSet };
  /** True if a client may set the status when it creates an object; false by default. */
  readonly bornWithStatus?: boolean;
  /** True if `metadata.generation` counts changes of the desired state; true by default. */
  readonly hasGeneration?: boolean;
  /** True if a change of annotations counts as one of the desired state; false by default. */
  readonly countsAnnotations?: boolean;
  /** Fields that `fieldSelector` may name beside `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: readonly string[];
  /** Further ones, whose text is not that of the field with this path. */
  readonly computedFields?: { readonly [path: string]: (object: JsonObject) => string };
  /**
   * Grace period in seconds of a deletion that names none; 0 by default. 0 deletes the object at once, also when
   * a deletion asks for more: no controller would delete it later.
   */
  readonly graceSeconds?: (object: JsonObject) => number;
  /** Problems of a name; by default, the rules for a DNS subdomain hold. */
  readonly checkName?: (name: string) => readonly string[];
  /** True if an update need not name the version that it replaces; by default true for built-in kinds only. */
  readonly allowsBlindUpdate?: boolean;
  /** True if the answer to a deletion is the object rather than a Status; false by default. */
  readonly returnsDeleted?: boolean;
  /** True if something beside its finalizers keeps an object that is being deleted. */
  readonly isHeld?: (object: JsonObject) => boolean;
  /** The object with the changes that a request to delete it makes. */
  readonly ending?: (object: JsonObject) => JsonObject;
  /** True if a deletion without a `propagationPolicy` orphans the dependents; false by default. */
  readonly orphansDependents?: boolean;
  /** Warnings about an object that is written; the write succeeds. */
  readonly warnings?: (
    object: JsonObject,
    old: JsonObject | undefined,
    subresource: string | undefined,
  ) => readonly string[];
  /** Warning for a client that deletes an object without a `propagationPolicy`. */
  readonly orphanWarning?: string;
  /** True if the metadata of a new object count only when all else is well. */
  readonly judgesMetadataLast?: boolean;
  /** Fields that the schema calls required, and that are not checked. */
  readonly dispensable?: readonly string[];
  /** Immutable fields: the only problem that an update reports. */
  readonly settled?: readonly string[];
  /** Names of objects that cannot be deleted. */
  readonly undeletable?: readonly string[];
  /** True if an update creates an object that does not exist; false by default. */
  readonly createsOnUpdate?: boolean;
  /** Finalizers that an object gets when its deletion begins, for the controllers that clean up. */
  readonly deletionFinalizers?: readonly string[];
}
