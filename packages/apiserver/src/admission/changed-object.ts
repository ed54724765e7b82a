import type { JsonObject } from '@perigee/schema/json';
import { bodyResource } from '../registry/body-resource.ts';
import { decodeInput } from '../registry/decode-input.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Attributes } from './attributes.ts';
import { convertBetween } from './shown-as.ts';

/** The type of the object of a request; a scale is checked where its replicas are taken over. */
export const typeShown = (
  shown: ServedResource,
  { kind, subresource }: Attributes,
): ServedResource | undefined => {
  if (kind.kind === shown.kind) return shown;
  const body = bodyResource(shown, subresource);
  return body.kind === kind.kind ? body : undefined;
};

/** Decodes a mutated object as its kind does: without unknown fields, and with defaults. */
export const readAgain = (
  shown: ServedResource,
  attributes: Attributes,
  object: JsonObject,
): JsonObject => {
  const type = typeShown(shown, attributes);
  return type === undefined ? object : decodeInput(type, object, { fieldValidation: 'Ignore' });
};

/** The request with the object that a webhook or policy changed in the version of another resource. */
export const withObject = async (
  attributes: Attributes,
  shown: ServedResource,
  seen: Attributes,
  object: JsonObject,
): Promise<Attributes> => {
  const { resource } = attributes;
  const isOther = shown !== resource && seen.kind.kind === shown.kind;
  return {
    ...attributes,
    object: isOther ? await convertBetween(shown, resource, object) : object,
  };
};
