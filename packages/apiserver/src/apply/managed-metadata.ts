import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { type FieldOwners, writeOwners } from './field-owner.ts';

/** The entries of `metadata.managedFields`. */
export const managedFieldsOf = (object: JsonObject | undefined): JsonValue | undefined => {
  const metadata = object?.metadata;
  return isJsonObject(metadata) ? metadata.managedFields : undefined;
};

/** The object without its `metadata.managedFields`. */
export const withoutManagedFields = (object: JsonObject): JsonObject => {
  const { metadata } = object;
  if (!isJsonObject(metadata) || metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
};

/** Adds `metadata.managedFields` to an object without them, unless there are no owners. */
export const withManagedFields = (object: JsonObject, owners: FieldOwners): JsonObject => {
  if (owners.size === 0) return object;
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, managedFields: writeOwners(owners) } };
};

const COLLECTIONS = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

const isBlank = (value: JsonValue | undefined): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Without the lists and maps of the metadata that have nothing in them. */
export const withoutBlankMetadata = (object: JsonObject): JsonObject => {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const blank = COLLECTIONS.filter((name) => isBlank(metadata[name]));
  if (blank.length === 0) return object;
  const rest = { ...metadata };
  for (const name of blank) delete rest[name];
  return { ...object, metadata: rest };
};
