import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';

type Fields = { [name: string]: JsonValue | undefined };

/** In a map of strings, Go decodes `null` as the empty string. */
const texts = (value: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(value) && Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, text ?? '']))
    : value;

const isLeftOut = ({ scope }: ServedResource, name: string) =>
  name === 'selfLink' || (name === 'namespace' && scope === 'Cluster');

/**
 * A body with its metadata as Kubernetes reads them: charts leave labels empty, which is null in YAML,
 * and give a namespace also to what is in none.
 */
export const withReadMetadata = (
  resource: ServedResource,
  body: JsonObject,
  { keepsNulls = false } = {},
): JsonObject => {
  const givenMetadata = body.metadata ?? {};
  if (!isJsonObject(givenMetadata)) return body;
  const metadata: Fields = Object.create(null);
  let isOther = givenMetadata !== body.metadata;
  for (const [name, value] of Object.entries(givenMetadata)) {
    if ((value === null && !keepsNulls) || isLeftOut(resource, name)) {
      isOther = true;
      continue;
    }
    const read = name === 'labels' || name === 'annotations' ? texts(value) : value;
    isOther ||= read !== value;
    metadata[name] = read;
  }
  return isOther ? { ...body, metadata: { ...metadata } } : body;
};
