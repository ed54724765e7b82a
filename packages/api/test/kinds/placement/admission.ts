import assert from 'node:assert/strict';
import type { JsonObject } from '@perigee/schema/json';
import { parse } from 'yaml';
import type { Kind } from '../../../src/kind/define-kind.ts';
import * as admission from '../admission.ts';

/**
 * The object that is stored when a user sends this YAML, over an object that is there already or not.
 * Stored objects must be canonical: admitted again, they do not change.
 */
export const store = (kind: Kind, yaml: string, old?: JsonObject): JsonObject => {
  const object = admission.stored(kind, parse(yaml), old);
  assert.deepEqual(admission.stored(kind, object, object), object);
  return object;
};

export const storedSpec = (kind: Kind, yaml: string, old?: JsonObject): JsonObject =>
  store(kind, yaml, old).spec as JsonObject;

/** Asserts that the YAML is refused for exactly one reason. */
export const assertRefused = (
  kind: Kind,
  yaml: string,
  expected: { readonly field: string; readonly message: RegExp },
  old?: JsonObject,
): void => admission.assertRefused(kind, parse(yaml), expected, old);

/** YAML of an object with the given spec, which is written without indentation. */
export const withSpec = (head: string, spec: string): string =>
  `${head.trim()}\nspec:\n${spec.trim().replaceAll(/^/gm, '  ')}\n`;
