import type { JsonObject } from '@perigee/schema/json';

export type MetaVersion = 'v1' | 'v1beta1';

/** The metadata of an object alone: enough for those who track objects of every kind. */
export const toPartialMetadata = (
  { metadata = {} }: JsonObject,
  version: MetaVersion = 'v1',
): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata,
});

/** The same for a list; `metadata` is the list's own. */
export const toPartialMetadataList = (
  objects: readonly JsonObject[],
  metadata: JsonObject,
  version: MetaVersion = 'v1',
): JsonObject => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: `meta.k8s.io/${version}`,
  metadata,
  items: objects.map((object) => toPartialMetadata(object, version)),
});
