import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { FieldSet } from '../meta/field-set.ts';

type Validate = (
  object: JsonObject,
  old?: JsonObject,
  subresource?: string,
) => readonly FieldError[];

/** What sets a kind apart where its schema cannot say it. Everything is pure, and may be absent. */
export interface Strategy {
  /** Gives the fields of an applied configuration, which is a part of an object, the names that are stored. */
  readonly rename?: (config: JsonObject) => JsonObject;
  /** Fills in what users may leave out, beyond the schema's own defaults. */
  readonly defaults?: (object: JsonObject) => JsonObject;
  /** What an object is when nothing is set; who creates one does not own what is there anyway. */
  readonly blank?: () => JsonObject;
  /** Brings an object that is to be created, or to replace `old`, into the form that is stored. */
  readonly prepare?: (object: JsonObject, old?: JsonObject, subresource?: string) => JsonObject;
  /** What the schema cannot check. */
  readonly validate?: Validate;
  /** The same, of which any problem is told alone, because nothing else is looked at then. */
  readonly validateFirst?: Validate;
  /** The object that a subresource makes of the one proposed, by its name: the rest stays as it was. */
  readonly reach?: {
    readonly [subresource: string]: (proposed: JsonObject, old: JsonObject) => JsonObject;
  };
  /**
   * What a write through a subresource cannot change, and so never owns; the empty name is the kind
   * itself. Through the status that is all but the status, unless said; otherwise the status.
   */
  readonly unreached?: { readonly [subresource: string]: FieldSet };
  /** True if who creates an object may give it a status; not so unless said. */
  readonly bornWithStatus?: boolean;
  /** True if `metadata.generation` counts changes of the desired state; true unless said. */
  readonly hasGeneration?: boolean;
  /** True if a change of annotations counts as one of the desired state; not so unless said. */
  readonly countsAnnotations?: boolean;
  /** What `fieldSelector` may name beside `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: readonly string[];
  /** Further ones, whose text is not that of the field with this path. */
  readonly computedFields?: { readonly [path: string]: (object: JsonObject) => string };
  /**
   * How long a deletion that names no grace period gives the object; none unless said. 0 ends it at
   * once, whatever is asked: nobody is there who could end it later.
   */
  readonly graceSeconds?: (object: JsonObject) => number;
  /** What is wrong with a name; the rules for a DNS subdomain hold unless said. */
  readonly checkName?: (name: string) => readonly string[];
  /** True if an update need not say which version it replaces; only built-in kinds, unless said. */
  readonly allowsBlindUpdate?: boolean;
  /** True if a deletion answers with the object rather than a Status; not so unless said. */
  readonly returnsDeleted?: boolean;
  /** True if something beside its finalizers keeps an object that somebody wants to end. */
  readonly isHeld?: (object: JsonObject) => boolean;
  /** How an object looks once its end was asked for. */
  readonly ending?: (object: JsonObject) => JsonObject;
  /** True if a deletion that does not say what becomes of its dependents leaves them; not so unless said. */
  readonly orphansDependents?: boolean;
  /** What is odd about an object that is written, but no reason to refuse it. */
  readonly warnings?: (
    object: JsonObject,
    old: JsonObject | undefined,
    subresource: string | undefined,
  ) => readonly string[];
  /** What whoever deletes an object without saying what becomes of its dependents is told. */
  readonly orphanWarning?: string;
  /** True if the metadata of a new object count only when all else is well. */
  readonly judgesMetadataLast?: boolean;
  /** Fields that the schema calls required, and nobody asks for. */
  readonly dispensable?: readonly string[];
  /** Fields that may not change, and of which an update is told only that. */
  readonly settled?: readonly string[];
  /** Names of objects that nobody may delete. */
  readonly undeletable?: readonly string[];
  /** True if an update of an object that is not there creates it; not so unless said. */
  readonly createsOnUpdate?: boolean;
  /** Finalizers that an object gets when somebody asks for its end, for whoever has to clean up. */
  readonly deletionFinalizers?: readonly string[];
}
