import type { JsonObject } from '@perigee/api/json';
import type { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';

/** A definition as the functions see it that work on plain JSON. */
export const crdJson = (crd: CustomResourceDefinition): JsonObject => crd as unknown as JsonObject;
