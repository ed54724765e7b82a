import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import { checkTarget } from './check-target.ts';
import { commit } from './commit.ts';
import { decodeInput, type InputOptions } from './decode-input.ts';
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
