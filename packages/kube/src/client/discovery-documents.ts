import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { ApiResource } from './discovery.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly preferred: boolean;
}

/** All groups in one document, as servers since 1.26 give it. */
export interface AggregatedDiscovery {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      /** `Stale` when the extension server behind it does not answer. */
      readonly freshness?: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope: 'Namespaced' | 'Cluster';
        readonly singularResource?: string;
        readonly verbs?: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

/** One version of one group; subresources stand beside resources, as `pods/status`. */
export interface ResourceList {
  /** Null for none, as servers in Go write it. */
  readonly resources:
    | readonly {
        readonly name: string;
        readonly singularName?: string;
        readonly namespaced: boolean;
        readonly kind: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
      }[]
    | null;
}

/** Versions come in the server's order of preference. */
export const fromAggregated = ({ items }: AggregatedDiscovery): readonly ApiResource[] =>
  items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }, at) =>
      resources.map((r) => ({
        group: metadata?.name ?? '',
        version,
        kind: r.responseKind?.kind ?? '',
        plural: r.resource,
        scope: r.scope,
        singular: r.singularResource ?? '',
        verbs: r.verbs ?? [],
        shortNames: r.shortNames ?? [],
        categories: r.categories ?? [],
        subresources: (r.subresources ?? []).map(({ subresource }) => subresource),
        preferred: at === 0,
      })),
    ),
  );

/** The API versions that the document may not describe in full. */
export const staleVersions = ({ items }: AggregatedDiscovery): readonly string[] =>
  items.flatMap(({ metadata, versions = [] }) =>
    versions
      .filter(({ freshness }) => freshness === 'Stale')
      .map(({ version }) => apiVersionOf({ group: metadata?.name ?? '', version })),
  );

export const fromResourceList = (
  { resources: sentResources }: ResourceList,
  { group, version, preferred }: GroupVersion,
): readonly ApiResource[] => {
  const resources = sentResources ?? [];
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((r) => ({
      group,
      version,
      kind: r.kind,
      plural: r.name,
      scope: r.namespaced ? 'Namespaced' : 'Cluster',
      singular: r.singularName ?? '',
      verbs: r.verbs,
      shortNames: r.shortNames ?? [],
      categories: r.categories ?? [],
      subresources: resources
        .filter(({ name }) => name.startsWith(`${r.name}/`))
        .map(({ name }) => name.slice(r.name.length + 1)),
      preferred,
    }));
};
