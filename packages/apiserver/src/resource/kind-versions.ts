import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

/** Brings objects of one kind, each in some version, into another version. Their order stays. */
export type Convert = (
  objects: readonly JsonObject[],
  apiVersion: string,
) => Promise<readonly JsonObject[]>;

/** The versions of a kind whose objects differ in more than the name of their version. */
export interface KindVersions {
  /** The schema of each version, served or not, by its `apiVersion`. */
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
  readonly convert: Convert;
}
