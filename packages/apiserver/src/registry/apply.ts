import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { type FieldSet, union } from '@perigee/kubernetes/meta/field-set';
import { type FieldError, required } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime } from '@perigee/schema/values/time';
import { withoutManagedFields } from '../apply/managed-metadata.ts';
import { serverSideApply } from '../apply/server-side-apply.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { applyConflict, conflict, invalidObject, notFound } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { applyScale } from './apply-scale.ts';
import { checkNamespaceOpen } from './check-namespace.ts';
import { withKnownUid } from './check-uid.ts';
import { commit } from './commit.ts';
import { creation, newObject } from './create.ts';
import { decodeInput, type InputOptions, judgeBody } from './decode-input.ts';
import { metaOf, withMeta } from './metadata.ts';
import { formOf } from './object-form.ts';
import { refusingBadPatch } from './refuse-bad-patch.ts';
import { keyOf, type Registry, tableOf } from './registry.ts';
import { replacement } from './replace.ts';
import { otherVersions } from './tracked-object.ts';
import { withReadMetadata } from './written-metadata.ts';

export interface ApplyRequest extends InputOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  /** The configuration that the manager applies. */
  readonly config: JsonObject;
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

const PATCH_OPTIONS = { group: 'meta.k8s.io', kind: 'PatchOptions' };

const managerOf = ({ fieldManager }: ApplyRequest): string => {
  if (fieldManager) return fieldManager;
  const problem: FieldError = required('fieldManager', 'is required for apply patch');
  throw invalidObject(PATCH_OPTIONS, '', [problem]);
};

/** The configuration with the name that the path gives it, and that it may leave out. */
const addressedConfig = ({ config, name, namespace }: ApplyRequest): JsonObject => {
  const meta = metaOf(config);
  if (meta.name && meta.name !== name) {
    throw badRequest(
      `the name of the object (${meta.name}) does not match the name on the URL (${name})`,
    );
  }
  if (meta.namespace && meta.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  return {
    ...config,
    metadata: {
      ...(config.metadata as JsonObject | undefined),
      name,
      ...present({ namespace }),
    },
  };
};

/** Null metadata beside a status have no owner: this endpoint cannot write them. */
const nullMetadata = (config: JsonObject): FieldSet => {
  const { metadata } = config;
  if (!isJsonObject(metadata)) return {};
  const names = Object.keys(metadata).filter((name) => metadata[name] === null);
  return names.length === 0
    ? {}
    : { 'f:metadata': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) };
};

/** The fields that a write through an endpoint cannot reach, and so never owns. */
const outOfReach = (
  { schema, hasStatus, strategy }: ServedResource,
  subresource: string | undefined,
): FieldSet => {
  const unreachedFields = strategy.unreached?.[subresource ?? ''];
  if (unreachedFields !== undefined) return unreachedFields;
  if (subresource !== 'status') return hasStatus ? { 'f:status': {} } : {};
  const names = ['metadata', ...Object.keys(schema.properties ?? {})];
  const others = names.filter((name) => !['apiVersion', 'kind', 'status'].includes(name));
  return Object.fromEntries(others.map((name) => [`f:${name}`, {}]));
};

const mergeConfig = (
  registry: Registry,
  resource: ServedResource,
  request: ApplyRequest & { readonly countsAsChange: boolean },
  live: JsonObject | undefined,
): JsonObject => {
  const { subresource, force = false, countsAsChange, config } = request;
  const unreached = outOfReach(resource, subresource);
  const applyResult = refusingBadPatch(() =>
    serverSideApply({
      config: addressedConfig(request),
      schema: resource.schema,
      force,
      countsAsChange,
      manager: managerOf(request),
      apiVersion: apiVersionOf(resource),
      time: formatTime(registry.clock.now()),
      resetFields: subresource === undefined ? unreached : union(unreached, nullMetadata(config)),
      ...otherVersions(resource),
      ...(resource.strategy.blank === undefined ? {} : { blank: resource.strategy.blank() }),
      ...present({ subresource, live }),
    }),
  );
  if ('object' in applyResult) return applyResult.object;
  throw applyConflict(applyResult.conflicts.message, applyResult.conflicts.causes);
};

/** A request with a UID is for an existing object, and not for another in its place. */
const refuseKnownUid = (resource: ServedResource, { name, config }: ApplyRequest): void => {
  const { uid } = metaOf(config);
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(resource, name, why);
};

/** A subresource of a missing object cannot be applied, even if the config is invalid. */
const refuseMissing = (registry: Registry, resource: ServedResource, request: ApplyRequest) => {
  const { namespace, name } = request;
  const entry = registry.store.get(tableOf(registry, resource), keyOf(namespace, name));
  if (entry === undefined) throw notFound(resource, name);
};

const isSameButOwners = (a: JsonObject, b: JsonObject): boolean =>
  sameJson(withoutManagedFields(a), withoutManagedFields(b));

/** Server-side apply: makes the object as the manager wants it, or creates it. */
export const applyObject = async (
  registry: Registry,
  resource: ServedResource,
  request: ApplyRequest,
): Promise<{ readonly object: JsonObject; readonly created: boolean }> => {
  const { name, namespace, subresource, dryRun } = request;
  managerOf(request);
  if (subresource === 'scale') {
    const scale = { ...request, config: addressedConfig(request) };
    return { object: await applyScale(registry, resource, scale), created: false };
  }
  if (subresource !== undefined) refuseMissing(registry, resource, request);
  judgeBody(resource, request);
  // Only for the warnings and errors: defaults are not part of the config. Unknown fields are refused later, at any
  // level of field validation.
  const { warn } = request;
  const inputOptions = { fieldValidation: 'Ignore', ...present({ warn }) } as const;
  decodeInput(resource, request.config, inputOptions);
  // Nulls are kept: each may be a change, and is owned by the manager that applies it.
  const writtenConfig = withReadMetadata(resource, request.config, { keepsNulls: true });
  const config = resource.strategy.rename?.(writtenConfig) ?? writtenConfig;
  const isOther = writtenConfig !== request.config && isJsonObject(request.config.metadata);
  const { managedFields, namespace: givenNamespace } = metaOf(request.config) as JsonObject;
  // These have no live value to compare with, so they count as changes, whatever the live object is.
  const countsAsChange =
    managedFields === null || givenNamespace === '' || givenNamespace === null || isOther;
  let isCreated = false;
  const object = await commit(registry, resource, request, (entry, revision) => {
    // Runs again after a concurrent write.
    isCreated = entry === undefined;
    const live = entry && formOf(resource).read(entry);
    if (live === undefined && subresource !== undefined) throw notFound(resource, name);
    const applyRequest = { ...request, config, countsAsChange };
    const mergedObject = mergeConfig(registry, resource, applyRequest, live);
    // Defaults come with a change: an object that was stored in another version may lack those of this.
    const isUnchanged =
      live !== undefined && resource.versions !== undefined && isSameButOwners(mergedObject, live);
    const proposed = isUnchanged
      ? mergedObject
      : decodeInput(resource, mergedObject, { fieldValidation: 'Ignore', keepsNulls: true });
    if (entry !== undefined) {
      const checkedObject = withKnownUid(resource, proposed, entry.object, subresource);
      return replacement(registry, resource, entry, checkedObject, { ...request, revision });
    }
    refuseKnownUid(resource, request);
    // The version is ignored if the object is missing.
    const { resourceVersion, ...meta } = metaOf(proposed);
    const fresh = newObject(registry, resource, withMeta(proposed, meta), {
      ...present({ namespace }),
    });
    checkNamespaceOpen(registry, resource, fresh);
    const shownObject =
      dryRun && resourceVersion ? withMeta(fresh, { ...metaOf(fresh), resourceVersion }) : fresh;
    return creation(shownObject, revision, dryRun);
  });
  // Nulls that the schema does not allow are not shown, even if nothing forbids them.
  const isPlain = resource.origin === 'crd' && resource.versions === undefined;
  const shownObject = isPlain ? formOf(resource).decode(object).value : object;
  return { object: shownObject, created: isCreated };
};
