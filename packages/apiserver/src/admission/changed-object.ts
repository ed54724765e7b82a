import type { JsonObject } from '@perigee/schema/json';
import { bodyResource } from '../registry/body-resource.ts';
import { decodeInput } from '../registry/decode-input.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Attributes } from './attributes.ts';
import { convertBetween } from './shown-as.ts';

/** The type of the object of a request; a scale is checked where its replicas are taken over. */
export const typeShown = (
  matchedResource: ServedResource,
  { kind, subresource }: Attributes,
): ServedResource | undefined => {
  if (kind.kind === matchedResource.kind) return matchedResource;
  const body = bodyResource(matchedResource, subresource);
  return body.kind === kind.kind ? body : undefined;
};

/** Decodes a mutated object as its kind does: without unknown fields, and with defaults. */
export const readAgain = (
  matchedResource: ServedResource,
  attributes: Attributes,
  object: JsonObject,
): JsonObject => {
  const type = typeShown(matchedResource, attributes);
  return type === undefined ? object : decodeInput(type, object, { fieldValidation: 'Ignore' });
};

/** The request with the object that a webhook or policy changed in the version of another resource. */
export const withObject = async (
  attributes: Attributes,
  matchedResource: ServedResource,
  versionedAttributes: Attributes,
  object: JsonObject,
): Promise<Attributes> => {
  const { resource } = attributes;
  const isOther =
    matchedResource !== resource && versionedAttributes.kind.kind === matchedResource.kind;
  return {
    ...attributes,
    object: isOther ? await convertBetween(matchedResource, resource, object) : object,
  };
};
