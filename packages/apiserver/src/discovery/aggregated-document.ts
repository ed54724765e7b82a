import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import type { ApiGroup, ApiVersion } from './api-groups.ts';
import { subresourcesOf } from './subresources.ts';

/** v2beta1 has the same fields; clients of Kubernetes 1.26 to 1.29 know no other. */
export type AggregatedVersion = 'v2' | 'v2beta1';

const resourceEntry = (resource: ServedResource): JsonObject => {
  const { group, version, kind, plural, singular, scope, verbs, shortNames, categories } = resource;
  const subresources = subresourcesOf(resource);
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope,
    singularResource: singular,
    verbs,
    ...present({
      shortNames: unlessEmpty(shortNames),
      categories: unlessEmpty(categories),
      subresources: unlessEmpty(
        subresources.map((sub) => ({
          subresource: sub.name,
          responseKind: { group: sub.group, version: sub.version, kind: sub.kind },
          verbs: sub.verbs,
        })),
      ),
    }),
  };
};

const versionEntry = ({ version, resources }: ApiVersion): JsonObject => ({
  version,
  resources: resources.map(resourceEntry),
  freshness: 'Current',
});

/** Everything that the groups serve in one document: it spares a client one request for each version. */
export const aggregatedDiscovery = (
  groups: readonly ApiGroup[],
  version: AggregatedVersion,
): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: groups.map(({ group, versions }) => ({
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(versionEntry),
  })),
});
