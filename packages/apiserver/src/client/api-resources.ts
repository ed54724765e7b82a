import type { ApiResource } from '@perigee/kube/client/discovery';
import { apiGroups } from '../discovery/api-groups.ts';
import { subresourcesOf } from '../discovery/subresources.ts';
import type { ServedResource } from '../resource/served-resource.ts';

/** The resources as discovery lists them, without its documents. */
export const apiResources = (resources: Iterable<ServedResource>): readonly ApiResource[] =>
  apiGroups(resources).flatMap(({ versions }) =>
    versions.flatMap(({ resources: served }, index) =>
      served.map((resource) => ({
        group: resource.group,
        version: resource.version,
        kind: resource.kind,
        plural: resource.plural,
        scope: resource.scope,
        singular: resource.singular,
        verbs: resource.verbs,
        shortNames: resource.shortNames,
        categories: resource.categories,
        subresources: subresourcesOf(resource).map(({ name }) => name),
        preferred: index === 0,
      })),
    ),
  );
