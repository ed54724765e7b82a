import type { ObjectMeta, WrittenMeta } from '@perigee/api/meta/object-meta';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/** The metadata of an object that may not be complete yet. */
export const metaOf = (object: JsonObject): WrittenMeta =>
  (isJsonObject(object.metadata) ? object.metadata : {}) as unknown as WrittenMeta;

/** The metadata of an object that was stored. */
export const storedMetaOf = (object: JsonObject): ObjectMeta =>
  object.metadata as unknown as ObjectMeta;

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * The object with these metadata. What is empty in them is left out, as Kubernetes does, save for
 * `managedFields`: there it asks to forget all owners.
 */
export const withMeta = (object: JsonObject, metadata: WrittenMeta): JsonObject => {
  const keptFields: { [name: string]: JsonValue | undefined } = {};
  const givenFields = metadata as unknown as JsonObject;
  for (const name of Object.keys(givenFields)) {
    const value = givenFields[name];
    if (!isEmpty(value) || (name === 'managedFields' && value)) keptFields[name] = value;
  }
  return { ...object, metadata: keptFields };
};

/** The object as of a revision. */
export const atVersion = (object: JsonObject, revision: number): JsonObject => ({
  ...object,
  metadata: { ...(object.metadata as JsonObject), resourceVersion: String(revision) },
});
