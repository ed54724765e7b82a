import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import { NOT_SERVED } from '@perigee/kube/errors';
import { allowsVerb } from '../registry/allows-verb.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { refusal } from '../status/refusal.ts';
import { actionNotSupported } from '../status/request-refusals.ts';

/** The resource that the registry serves for a kind; throws what `isNotServed` tells, or a 405. */
export const servedAs = (
  { resources }: Registry,
  kind: ResourceKind,
  verb: string,
): ServedResource => {
  const resource = resources.find(kind);
  if (resource !== undefined) {
    if (allowsVerb(resource, verb)) return resource;
    throw actionNotSupported(resource, verb);
  }
  throw refusal(
    404,
    NOT_SERVED,
    `this server does not serve ${kind.plural} in ${apiVersionOf(kind)}; install its CustomResourceDefinition, or use a version that is served`,
  );
};
