import type { JsonObject } from '@perigee/api/json';
import { UnadmittedError } from '../errors.ts';
import type { CommitRequest } from '../registry/commit.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { mutatedDraft } from './commit-admitted.ts';

/** The new object that `make` makes, with what webhooks change in it; at once when there are none. */
export const admitCreation = (
  registry: Registry,
  resource: ServedResource,
  request: CommitRequest,
  make: () => JsonObject,
): JsonObject | Promise<JsonObject> => {
  const { admission: chain } = registry;
  const configurations = chain?.configurationsFor(registry, resource);
  if (chain === undefined || configurations === undefined) return make();
  try {
    return chain.during('ask', make);
  } catch (error) {
    if (!(error instanceof UnadmittedError)) throw error;
    const write = { chain, configurations, registry, resource, request };
    return mutatedDraft(write, error.draft).then((object) =>
      chain.during({ object, on: undefined }, make),
    );
  }
};
