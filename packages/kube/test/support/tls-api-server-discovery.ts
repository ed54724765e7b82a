import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { ApiResource } from '../../src/client/discovery.ts';
import type { SeenRequest } from './tls-api-server-faults.ts';

/** Forms of discovery that a server serves, from the newest aggregated one to plain lists alone. */
export type DiscoverySupport = 'v2' | 'v2beta1' | 'plain';

const by = <T>(items: readonly T[], key: (item: T) => string): [string, readonly T[]][] =>
  Object.entries(Object.groupBy(items, key)) as [string, readonly T[]][];

const aggregated = (resources: readonly ApiResource[], version: string) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: `apidiscovery.k8s.io/${version}`,
  items: by(resources, ({ group }) => group).map(([name, ofGroup]) => ({
    metadata: name === '' ? {} : { name },
    versions: by(ofGroup, (r) => r.version)
      .toSorted(([, [a]], [, [b]]) => Number(b?.preferred) - Number(a?.preferred))
      .map(([version, ofVersion]) => ({
        version,
        freshness: 'Current',
        resources: ofVersion.map((r) => ({
          resource: r.plural,
          responseKind: { group: r.group, version: r.version, kind: r.kind },
          scope: r.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
          singularResource: r.singular,
          verbs: r.verbs,
          shortNames: r.shortNames,
          categories: r.categories,
          subresources: r.subresources.map((subresource) => ({ subresource, verbs: ['get'] })),
        })),
      })),
  })),
});

const groupList = (resources: readonly ApiResource[]) => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: by(resources, ({ group }) => group).map(([name, ofGroup]) => {
    const versions = by(ofGroup, (r) => r.version).map(([version]) => ({
      groupVersion: `${name}/${version}`,
      version,
    }));
    const preferred = ofGroup.find((r) => r.preferred)?.version;
    return {
      name,
      versions,
      preferredVersion: versions.find(({ version }) => version === preferred),
    };
  }),
});

const resourceList = (resources: readonly ApiResource[], groupVersion: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: resources.flatMap((r) => {
    const common = { namespaced: r.scope === 'Namespaced', kind: r.kind, verbs: r.verbs };
    const { singular: singularName, shortNames, categories } = r;
    return [
      { ...common, name: r.plural, singularName, shortNames, categories },
      ...r.subresources.map((sub) => ({ ...common, name: `${r.plural}/${sub}`, singularName: '' })),
    ];
  }),
});

/** Answers `/api`, `/apis` and the lists of one version below them; undefined for other paths. */
export const discoveryAnswer = (
  { path, headers }: SeenRequest,
  resources: readonly ApiResource[],
  support: DiscoverySupport,
): { readonly body: object; readonly contentType: string } | undefined => {
  const contentType = 'application/json';
  const core = resources.filter(({ group }) => group === '');
  const others = resources.filter(({ group }) => group !== '');
  if (path === '/api' || path === '/apis') {
    const ofRoot = path === '/api' ? core : others;
    const form = `application/json;g=apidiscovery.k8s.io;v=${support};as=APIGroupDiscoveryList`;
    if (support !== 'plain' && String(headers.accept).includes(form)) {
      return { body: aggregated(ofRoot, support), contentType: form };
    }
    const versions = [...new Set(core.map(({ version }) => version))];
    const body = path === '/api' ? { kind: 'APIVersions', versions } : groupList(others);
    return { body, contentType };
  }
  const [, groupVersion] = /^\/(?:api|apis)\/([^/]+|[^/]+\/[^/]+)$/.exec(path) ?? [];
  if (groupVersion === undefined) return undefined;
  const ofVersion = resources.filter((r) => apiVersionOf(r) === groupVersion);
  return ofVersion.length === 0
    ? undefined
    : { body: resourceList(ofVersion, groupVersion), contentType };
};
