import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Attributes } from './attributes.ts';

/** Converts an object to the version of an equivalent resource. */
export const convertBetween = async (
  from: ServedResource,
  to: ServedResource,
  object: JsonObject,
): Promise<JsonObject> => {
  const apiVersion = apiVersionOf(to);
  if (from.versions !== undefined) {
    const [converted = object] = await from.versions.convert([object], apiVersion);
    return converted;
  }
  const storedForm = from.conversion?.toStored(object) ?? object;
  const convertedForm = to.conversion?.fromStored(storedForm) ?? storedForm;
  return { ...convertedForm, apiVersion, kind: to.kind };
};

/** Converts the request to an equivalent resource; a subresource such as a scale stays unchanged. */
export const shownAs = async (
  attributes: Attributes,
  resource: ServedResource,
): Promise<Attributes> => {
  const { resource: own, object, old, kind } = attributes;
  if (resource === own || kind.kind !== own.kind) return attributes;
  return {
    ...attributes,
    kind: resource,
    ...present({
      object: object && (await convertBetween(own, resource, object)),
      old: old && (await convertBetween(own, resource, old)),
    }),
  };
};
