import type { JsonObject } from '@perigee/api/json';
import { decodeInput } from '../registry/decode-input.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { ActionRequest } from '../subresources/action.ts';
import { bodyResource } from '../subresources/body-resource.ts';
import { attributesOf } from './attributes-of.ts';

/** The body of a request that stores nothing itself, such as a binding, as admission lets it through. */
export const admitAction = async (
  registry: Registry,
  resource: ServedResource,
  request: ActionRequest & { readonly subresource?: string },
): Promise<JsonObject> => {
  const { admission: chain } = registry;
  const configurations = chain?.configurationsFor(registry, resource);
  if (chain === undefined || configurations === undefined) return request.body;
  const { name = '', subresource } = request;
  const kind = bodyResource(resource, subresource);
  const decoded = decodeInput(kind, request.body, { fieldValidation: 'Ignore' });
  const asked = { ...request, name };
  const shown = (object: JsonObject) => ({
    ...attributesOf(registry, resource, asked, { operation: 'CREATE', object }),
    kind,
  });
  const made = await chain.askToMutate(registry, configurations, shown(decoded), asked);
  await chain.validate(registry, configurations, shown(made ?? decoded), asked);
  return made === undefined || made === decoded ? request.body : made;
};
