import { readFileSync } from 'node:fs';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';

/** Answer of kube-apiserver 1.36.3 to an update, after the schema of a field became stricter. */
export interface UpdateRule {
  readonly name: string;
  readonly schema: JsonObject;
  /** The value that was stored before; absent when there was none. */
  readonly old?: JsonValue;
  /** The value of the update; absent when it removes the field. */
  readonly next?: JsonValue;
  readonly code: number;
  readonly causes?: readonly FieldError[];
}

/** The file that `tools/record-schema-answers.ts` writes. */
export const UPDATE_RULES_FILE = new URL('recorded/update-rules.json', import.meta.url);

export const updateRules = (): readonly UpdateRule[] =>
  JSON.parse(readFileSync(UPDATE_RULES_FILE, 'utf8'));

/** The schema of a spec that has a field for each rule. */
export const schemaOfRules = (rules: readonly UpdateRule[]): JsonObject => {
  const fields = rules.map(({ schema }, index) => [`f${index}`, schema]);
  const touch = { type: 'string' };
  return { type: 'object', properties: { touch, ...Object.fromEntries(fields) } };
};

/** The spec that has a value for one of the rules. */
export const specForRule = (
  index: number,
  value: JsonValue | undefined,
  touch: string,
): JsonObject => ({ touch, ...(value === undefined ? {} : { [`f${index}`]: value }) });
