import type { FieldSet } from '@perigee/kubernetes/meta/field-set';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import type { ConflictCause } from '../../src/apply/apply-conflicts.ts';
import { withoutBlankMetadata } from '../../src/apply/managed-metadata.ts';
import { serverSideApply } from '../../src/apply/server-side-apply.ts';
import { trackUpdate } from '../../src/apply/track-update.ts';
import { applyJsonPatch } from '../../src/patch/json-patch.ts';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';

/** A write that was made on a real kube-apiserver. The input of `put` says what to change in the live object. */
export interface Step {
  readonly op: 'create' | 'apply' | 'force' | 'put' | 'merge' | 'json';
  readonly manager: string;
  readonly subresource?: 'status';
  readonly input: JsonValue;
  /** The change of the write to the view of the object, as a merge patch. */
  readonly changes?: JsonObject;
  readonly conflicts?: readonly (readonly [message: string, field: string])[];
}

type Outcome = { readonly object: JsonObject } | { readonly conflicts: readonly ConflictCause[] };

const TIME = '2026-01-01T00:00:00Z';

const MAIN_RESETS = { 'f:status': {} } satisfies FieldSet;
const STATUS_RESETS = { 'f:metadata': {}, 'f:spec': {} } satisfies FieldSet;

const metadataOf = (object: JsonObject): JsonObject =>
  isJsonObject(object.metadata) ? object.metadata : {};

/** The object as the facts tell of it: owners by name, without times, and without what the server counts. */
export const viewOf = (object: JsonObject): JsonObject => {
  const {
    managedFields,
    uid: _uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _created,
    ...metadata
  } = metadataOf(object);
  const entries = (Array.isArray(managedFields) ? managedFields : []) as readonly JsonObject[];
  const owners = entries.map((entry) => [
    [entry.manager, entry.operation, entry.subresource ?? ''].join(' '),
    entry.fieldsV1,
  ]);
  return { ...object, metadata, owners: Object.fromEntries(owners) };
};

/** The writes of a kind with a status subresource, as an API server puts them together. */
export const replayStep = (
  schema: StructuralSchema,
  live: JsonObject | undefined,
  step: Step,
): Outcome => {
  const { op, manager, subresource, input } = step;
  const decode = compileDecoder(schema);
  const complete = (object: JsonObject): JsonObject => withoutBlankMetadata(decode(object).value);
  const writer = {
    schema,
    manager,
    apiVersion: 'fuzz.test/v1',
    time: TIME,
    resetFields: subresource === undefined ? MAIN_RESETS : STATUS_RESETS,
    ...(live === undefined ? {} : { live }),
    ...(subresource === undefined ? {} : { subresource }),
  };
  const keep = (object: JsonObject): JsonObject => {
    const { status, ...rest } = object;
    if (subresource === undefined) {
      return live?.status === undefined ? rest : { ...rest, status: live.status };
    }
    const { status: _, ...before } = live ?? {};
    const { managedFields } = metadataOf(object);
    const metadata = { ...metadataOf(before), managedFields };
    return { ...before, metadata, ...(status === undefined ? {} : { status }) };
  };
  if (op === 'apply' || op === 'force') {
    const applied = serverSideApply({
      ...writer,
      config: input as JsonObject,
      force: op === 'force',
    });
    if ('conflicts' in applied) return { conflicts: applied.conflicts.causes };
    return { object: keep(complete(applied.object)) };
  }
  const patched =
    op === 'json'
      ? (applyJsonPatch(live ?? {}, input) as JsonObject)
      : applyMergePatch(live ?? {}, input);
  return { object: keep(trackUpdate({ ...writer, next: complete(patched) })) };
};
