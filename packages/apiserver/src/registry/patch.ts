import { ApiError } from '@perigee/kube/errors';
import { restoreMismatch } from '@perigee/kubernetes/types/restore-mismatch';
import { invalid } from '@perigee/schema/errors';
import { goPlain } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { PatchError } from '../errors.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject, notFound } from '../status/object-refusals.ts';
import { unsupportedMediaType } from '../status/request-refusals.ts';
import { bodyResource } from './body-resource.ts';
import { checkTarget } from './check-target.ts';
import { withKnownUid } from './check-uid.ts';
import { commit } from './commit.ts';
import { decodeInput, type InputOptions } from './decode-input.ts';
import { formOf } from './object-form.ts';
import { withPatchedType } from './patched-type.ts';
import { refusingBadPatch } from './refuse-bad-patch.ts';
import type { Registry } from './registry.ts';
import { replacement } from './replace.ts';
import { scaleOf, withReplicas } from './scale.ts';
import { ownedScale, trackScale } from './scale-owners.ts';
import { UNKNOWN_MANAGER } from './tracked-object.ts';
import { mismatchOf } from './type-mismatch.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

export interface PatchRequest extends InputOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  readonly type: PatchType;
  readonly patch: JsonValue;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

const FOR_CUSTOM_RESOURCES = ['application/json-patch+json', 'application/merge-patch+json'];

const patchedObject = (
  { schema }: ServedResource,
  document: JsonObject,
  { type, patch }: PatchRequest,
): JsonObject => {
  return refusingBadPatch(() => {
    if (type === 'merge') return applyMergePatch(document, patch);
    if (type === 'strategic') return applyStrategicMergePatch(document, patch, schema);
    const result = applyJsonPatch(document, patch);
    if (isJsonObject(result)) return result;
    throw new PatchError(422, 'the patch makes the object something that is no object');
  });
};

const CANNOT_BE_READ = /^.*? cannot be handled as a \w+: /s;

/** Blames the patch. A strategic one is quoted itself, of others what they made of the object. */
const unreadable = ({ type, patch }: PatchRequest, object: JsonObject, why: string): ApiError => {
  const isStrategic = type === 'strategic';
  const quoted = isStrategic ? goPlain(patch) : JSON.stringify(object);
  const problemText = isStrategic ? restoreMismatch(why) : why;
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', quoted, problemText)]);
};

/** Decodes the result of a patch; errors are the fault of the patch. */
const readPatched = (
  resource: ServedResource,
  object: JsonObject,
  request: PatchRequest,
  old?: JsonObject,
): JsonObject => {
  try {
    return decodeInput(
      resource,
      withPatchedType(resource, object, request),
      { ...request, isPatched: true },
      old,
    );
  } catch (error) {
    if (!(error instanceof ApiError) || !CANNOT_BE_READ.test(error.message)) throw error;
    const why = error.message.replace(CANNOT_BE_READ, '');
    throw unreadable(request, object, why);
  }
};

/** Runs the work; if it is refused because the object could not be decoded, the refusal has the decoding error. */
const refusingMistyped = <T>(
  resource: ServedResource,
  object: JsonObject,
  request: PatchRequest,
  work: (request: PatchRequest) => T,
): T => {
  const warnings: string[] = [];
  const passWarnings = (): void => {
    for (const text of warnings) request.warn?.(text);
  };
  try {
    const result = work({ ...request, warn: (text) => warnings.push(text) });
    passWarnings();
    return result;
  } catch (error) {
    const isInvalid = error instanceof ApiError && (error.code === 422 || error.code === 400);
    const why = isInvalid ? mismatchOf(resource, object) : undefined;
    if (why !== undefined) throw unreadable(request, object, why);
    passWarnings();
    throw error;
  }
};

/** Refuses unreadable parts outside of the endpoint: they are not written, but kube-apiserver decodes them. */
const refuseUnreadable = (
  resource: ServedResource,
  document: JsonObject,
  request: PatchRequest,
  old: JsonObject,
): void => {
  const unwritten = request.subresource === 'status' ? 'spec' : 'status';
  const value = document[unwritten];
  if (resource.origin === 'crd' || value === old[unwritten]) return;
  const why = mismatchOf(resource, { [unwritten]: value });
  if (why !== undefined) throw unreadable(request, document, why);
};

/**
 * Changes an object by a patch. It is applied to the newest state at the moment of the write, so that a
 * patch conflicts with other writers only when it names a version itself.
 */
export const patchObject = async (
  registry: Registry,
  resource: ServedResource,
  request: PatchRequest,
): Promise<JsonObject> => {
  if (request.type === 'strategic' && resource.origin === 'crd') {
    throw unsupportedMediaType(FOR_CUSTOM_RESOURCES);
  }
  const { name, subresource, fieldManager: manager = UNKNOWN_MANAGER } = request;
  const object = await commit(registry, resource, request, (present, revision) => {
    if (present === undefined) throw notFound(resource, name);
    const old = formOf(resource).read(present);
    if (subresource === 'scale') {
      const form = bodyResource(resource, subresource);
      const scale = patchedObject(form, ownedScale(resource, old), request);
      return refusingMistyped(form, scale, request, (warnedRequest) => {
        const scaled = withReplicas(resource, old, readPatched(form, scale, warnedRequest));
        const checkedScale = withKnownUid(resource, scaled, old);
        const proposed = trackScale(registry, resource, old, checkedScale, manager);
        return replacement(registry, resource, present, proposed, { ...request, revision });
      });
    }
    const document = patchedObject(resource, old, request);
    return refusingMistyped(resource, document, request, (warnedRequest) => {
      const read = readPatched(resource, document, warnedRequest, old);
      refuseUnreadable(resource, document, request, old);
      checkTarget(read, request);
      const proposed = withKnownUid(resource, read, old, subresource);
      return replacement(registry, resource, present, proposed, { ...request, manager, revision });
    });
  });
  return subresource === 'scale' ? scaleOf(resource, object) : object;
};
