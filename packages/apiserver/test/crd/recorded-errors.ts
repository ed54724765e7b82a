import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { widgetCrd } from './widget-crd.ts';

/** A change to the CRD of widgets, and what kube-apiserver 1.36 says of the result. */
export interface RecordedErrors {
  readonly name: string;
  readonly meta?: JsonObject;
  readonly spec?: JsonObject;
  readonly schema?: JsonObject;
  readonly errors: readonly string[];
}

/** The file that `tools/record-definitions.ts` writes. */
export const ERRORS_FILE = new URL('recorded/crd-errors.jsonl', import.meta.url);

export const recordedErrors = (): readonly RecordedErrors[] =>
  readFileSync(ERRORS_FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line): RecordedErrors => JSON.parse(line));

export const merge = (value: JsonObject, patch: JsonObject): JsonObject => {
  const merged = { ...value };
  for (const [key, change] of Object.entries(patch)) {
    const old = merged[key];
    merged[key] = isJsonObject(change) && isJsonObject(old) ? merge(old, change) : change;
  }
  return merged;
};

/** The CRD of widgets with the change. */
export const changedCrd = ({ meta = {}, spec = {}, schema }: RecordedErrors): JsonObject => {
  const crd = merge(widgetCrd(), { metadata: meta, spec });
  if (schema === undefined) return crd;
  const { versions } = crd.spec as { readonly versions: readonly JsonObject[] };
  const changed = versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: schema },
  }));
  return merge(crd, { spec: { versions: changed } });
};
