import type { JsonObject } from '@perigee/schema/json';
import type { ActionRequest } from '../registry/action.ts';
import { type CreateRequest, createObject } from '../registry/create.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { methodNotAllowed } from '../status/request-refusals.ts';
import { actionOf } from './actions.ts';

/** Creates an object, or does what its creation stands for. */
export const createOrAct = async (
  registry: Registry,
  resource: ServedResource,
  request: CreateRequest & ActionRequest & { readonly subresource?: string },
): Promise<JsonObject> => {
  const { subresource = '' } = request;
  const action = actionOf(resource, subresource);
  if (action !== undefined) {
    // What it does to other objects, it does for the server.
    const { admission, ...within } = registry;
    const asked = { ...request, name: request.name ?? '' };
    const body = (await admission?.admitAction(registry, resource, asked)) ?? request.body;
    return action(within, resource, { ...request, body });
  }
  if (subresource !== '') throw methodNotAllowed();
  return createObject(registry, resource, request);
};
