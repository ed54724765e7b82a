import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { commit } from './commit.ts';
import { decodeInput, type InputOptions } from './decode-input.ts';
import { metaOf } from './metadata.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';
import { replacement } from './replace.ts';
import { scaleOf, withReplicas } from './scale.ts';
import { UNKNOWN_MANAGER } from './tracked.ts';

export interface UpdateRequest extends InputOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  readonly body: JsonObject;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

const checkTarget = (body: JsonObject, { name, namespace }: UpdateRequest): void => {
  const meta = metaOf(body);
  if (!meta.name) throw badRequest('name must be provided');
  if (meta.name !== name) {
    throw badRequest(
      `the name of the object (${meta.name}) does not match the name on the URL (${name})`,
    );
  }
  if (meta.namespace && meta.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
};

const updateScale = async (
  registry: Registry,
  resource: ServedResource,
  request: UpdateRequest,
): Promise<JsonObject> => {
  const { fieldManager: manager = UNKNOWN_MANAGER } = request;
  checkTarget(request.body, request);
  const object = await commit(registry, resource, request, (present, revision) => {
    if (present === undefined) throw notFound(resource, request.name);
    const proposed = withReplicas(resource, formOf(resource).read(present), request.body);
    return replacement(registry, resource, present, proposed, { ...request, manager, revision });
  });
  return scaleOf(resource, object);
};

export const updateObject = async (
  registry: Registry,
  resource: ServedResource,
  request: UpdateRequest,
): Promise<JsonObject> => {
  if (request.subresource === 'scale') return updateScale(registry, resource, request);
  const { fieldManager: manager = UNKNOWN_MANAGER } = request;
  const decoded = decodeInput(resource, request.body, request);
  checkTarget(decoded, request);
  return commit(registry, resource, request, (present, revision) => {
    if (present === undefined) throw notFound(resource, request.name);
    return replacement(registry, resource, present, decoded, { ...request, manager, revision });
  });
};
