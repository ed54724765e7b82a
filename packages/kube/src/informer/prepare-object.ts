import type { KubeObject } from '@perigee/api/meta/object-meta';

export interface Preparation<T> {
  /** They are large and few readers need them, so they go unless asked for. */
  readonly keepManagedFields?: boolean;
  /** Makes an object smaller. Pure; keeps the metadata that identifies the object and its version. */
  readonly transform?: (object: T) => T;
}

const withoutManagedFields = <T extends KubeObject>(object: T): T => {
  if (!object.metadata.managedFields) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
};

/** Transforms an object before it is cached. */
export const preparation = <T extends KubeObject>({
  keepManagedFields = false,
  transform = (object) => object,
}: Preparation<T>): ((object: T) => T) =>
  keepManagedFields ? transform : (object) => transform(withoutManagedFields(object));
