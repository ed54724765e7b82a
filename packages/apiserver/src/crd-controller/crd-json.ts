import type { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import type { JsonObject } from '@perigee/schema/json';

/** A definition as the functions see it that work on plain JSON. */
export const crdJson = (crd: CustomResourceDefinition): JsonObject => crd as unknown as JsonObject;
