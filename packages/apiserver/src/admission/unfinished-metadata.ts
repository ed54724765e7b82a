import type { JsonObject } from '@perigee/schema/json';
import { metaOf, withMeta } from '../registry/metadata.ts';

/** A new object as webhooks see it: without the metadata that the server sets after them. */
export const withoutServerMetadata = (object: JsonObject): JsonObject => {
  const { uid: _, creationTimestamp: __, generation: ___, ...meta } = metaOf(object);
  const { name: ____, ...unnamed } = meta;
  return withMeta(object, isNameMadeUp(object) ? unnamed : meta);
};

/** True if the server generated the name from `generateName`. */
const isNameMadeUp = (object: JsonObject): boolean => {
  const { name = '', generateName = '' } = metaOf(object);
  return (
    generateName !== '' && name.length === generateName.length + 5 && name.startsWith(generateName)
  );
};

/** Adds the metadata of the server to an object from webhooks. */
export const withServerMetadata = (mutatedObject: JsonObject, draft: JsonObject): JsonObject => {
  const { uid, creationTimestamp, generation, name } = metaOf(draft);
  const meta = metaOf(mutatedObject);
  return withMeta(mutatedObject, {
    ...meta,
    name: meta.name || name,
    uid,
    creationTimestamp,
    generation,
  });
};
