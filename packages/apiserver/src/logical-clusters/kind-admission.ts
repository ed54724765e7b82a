import type { ResourceAttributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import type { Registry, Write } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';

/** A right that a write takes beside that to write the object, because of what the object has done for its writer. */
export interface RequiredRight {
  readonly attributes: ResourceAttributes;
  /** Why the write is refused to a user who does not have it. */
  readonly refusal: string;
}

export type RequiredRights = (
  user: UserInfo,
  resource: ServedResource,
  write: Write,
) => readonly RequiredRight[];

/** Admission of further kinds in one cluster, beyond their definitions. */
export interface KindAdmission {
  /** Adds the rules of its kind to a resource; other resources stay as they are. */
  readonly adapt: (resource: ServedResource) => ServedResource;
  /** Reason why an object may not be deleted; undefined if it may. All deletions are allowed by default. */
  readonly deletionProblem?: (object: JsonObject) => string | undefined;
}

/** Makes the rules of a cluster from what is stored in it. */
export type AdmitKinds = (place: Registry) => KindAdmission;
