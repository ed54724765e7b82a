import { readFileSync } from 'node:fs';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

/** Answer of a real kube-apiserver to a spec. */
export interface RecordedCase {
  readonly name: string;
  readonly spec: JsonValue;
  /** The spec that was stored before, for an update. */
  readonly old?: JsonObject;
  readonly causes: readonly FieldError[];
}

export interface Recorded<C = RecordedCase> {
  readonly schema: StructuralSchema;
  readonly cases: readonly C[];
}

/** Replies of kube-apiserver v1.36.3 to objects of a CRD with the schema: `tools/record-schema-answers.ts`. */
export const recorded = <T = Recorded>(name: string): T =>
  JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), 'utf8'));

export const objectWith = (spec: JsonValue | undefined): JsonObject => ({
  apiVersion: 'gold.io/v1',
  kind: 'Sample',
  metadata: { name: 'x' },
  ...(spec === undefined ? {} : { spec }),
});
