import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Attributes } from './attributes.ts';

const resourceOf = ({ group, version, plural }: ServedResource): JsonObject => ({
  group,
  version,
  resource: plural,
});

/** The `request` of an AdmissionReview, shown as one to the given resource; what is empty is left out. */
export const requestFacts = (
  attributes: Attributes,
  matchedResource: ServedResource,
  uid: string,
): JsonObject => {
  const { operation, resource, subresource, name, namespace, user, object, old } = attributes;
  const { group, version, kind } = attributes.kind;
  const shownKind = { group, version, kind };
  const ownKind =
    matchedResource === resource || kind !== matchedResource.kind
      ? shownKind
      : { group: resource.group, version: resource.version, kind: resource.kind };
  return {
    uid,
    kind: shownKind,
    resource: resourceOf(matchedResource),
    ...present({ subResource: unlessEmpty(subresource) }),
    requestKind: ownKind,
    requestResource: resourceOf(resource),
    ...present({
      requestSubResource: unlessEmpty(subresource),
      name: unlessEmpty(name),
      namespace: unlessEmpty(namespace),
    }),
    operation,
    userInfo: {
      username: user.name,
      ...present({
        uid: user.uid,
        groups: user.groups && [...user.groups],
        extra:
          user.extra && Object.fromEntries(Object.entries(user.extra).map(([k, v]) => [k, [...v]])),
      }),
    },
    object: object ?? null,
    oldObject: old ?? null,
    dryRun: attributes.dryRun,
    options: attributes.options,
  };
};
