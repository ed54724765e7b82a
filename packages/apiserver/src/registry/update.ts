import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict, notFound } from '../status/object-refusals.ts';
import { bodyResource } from './body-resource.ts';
import { checkNamespaceOpen } from './check-namespace.ts';
import { checkTarget } from './check-target.ts';
import { commit } from './commit.ts';
import { creation, newObject } from './create.ts';
import { decodeInput, type InputOptions } from './decode-input.ts';
import { metaOf, withMeta } from './metadata.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';
import { replacement } from './replace.ts';
import { scaleOf, withReplicas } from './scale.ts';
import { trackScale } from './scale-owners.ts';
import { UNKNOWN_MANAGER } from './tracked-object.ts';

export interface UpdateRequest extends InputOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  readonly body: JsonObject;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

const updateScale = async (
  registry: Registry,
  resource: ServedResource,
  request: UpdateRequest,
): Promise<JsonObject> => {
  const { fieldManager: manager = UNKNOWN_MANAGER } = request;
  const scale = decodeInput(bodyResource(resource, 'scale'), request.body, request);
  checkTarget(scale, request);
  const object = await commit(registry, resource, request, (present, revision) => {
    if (present === undefined) throw notFound(resource, request.name);
    const live = formOf(resource).read(present);
    const scaled = withReplicas(resource, live, scale);
    const proposed = trackScale(registry, resource, live, scaled, manager);
    return replacement(registry, resource, present, proposed, { ...request, revision });
  });
  return scaleOf(resource, object);
};

/** An update with a UID is for an existing object. The version is ignored if there is none. */
const createdByUpdate = (
  registry: Registry,
  resource: ServedResource,
  decodedBody: JsonObject,
  request: UpdateRequest & { readonly manager: string },
): JsonObject => {
  const { uid, resourceVersion, ...meta } = metaOf(decodedBody);
  if (uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
    throw conflict(resource, request.name, why);
  }
  const object = newObject(registry, resource, withMeta(decodedBody, meta), request);
  checkNamespaceOpen(registry, resource, object);
  // Nothing is stored that could give it a version, so it shows the one that was sent.
  return request.dryRun && resourceVersion
    ? withMeta(object, { ...metaOf(object), resourceVersion })
    : object;
};

/** Replaces an object. Some kinds create a missing one. */
export const updateOrCreate = async (
  registry: Registry,
  resource: ServedResource,
  request: UpdateRequest,
): Promise<{ readonly object: JsonObject; readonly created: boolean }> => {
  if (request.subresource === 'scale') {
    return { object: await updateScale(registry, resource, request), created: false };
  }
  const { fieldManager: manager = UNKNOWN_MANAGER, dryRun, subresource } = request;
  const decodedBody = decodeInput(resource, request.body, request);
  checkTarget(decodedBody, request);
  let isCreated = false;
  const object = await commit(registry, resource, request, (present, revision) => {
    if (present !== undefined) {
      return replacement(registry, resource, present, decodedBody, {
        ...request,
        manager,
        revision,
      });
    }
    if (!resource.strategy.createsOnUpdate || subresource !== undefined) {
      throw notFound(resource, request.name);
    }
    isCreated = true;
    const fresh = createdByUpdate(registry, resource, decodedBody, { ...request, manager });
    return creation(fresh, revision, dryRun);
  });
  return { object, created: isCreated };
};

export const updateObject = async (
  registry: Registry,
  resource: ServedResource,
  request: UpdateRequest,
): Promise<JsonObject> => (await updateOrCreate(registry, resource, request)).object;
