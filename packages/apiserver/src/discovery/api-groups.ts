import type { ServedResource } from '../resource/served-resource.ts';
import { compareVersions } from './version-order.ts';

export interface ApiVersion {
  readonly group: string;
  readonly version: string;
  /** Sorted by name. */
  readonly resources: readonly ServedResource[];
}

export interface ApiGroup {
  readonly group: string;
  /** The preferred version is the first. */
  readonly versions: readonly ApiVersion[];
}

/** Order of the built-in groups. For an ambiguous short name, clients take the first group. */
const BUILT_IN_ORDER = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

const rank = (group: string): number => {
  const at = BUILT_IN_ORDER.indexOf(group);
  return at === -1 ? BUILT_IN_ORDER.length : at;
};

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The resources by group and version, in the order in which clients are to prefer them. */
export const apiGroups = (resources: Iterable<ServedResource>): readonly ApiGroup[] => {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, ServedResource[]>();
    groups.set(resource.group, versions);
    const list = versions.get(resource.version) ?? [];
    versions.set(resource.version, list);
    list.push(resource);
  }
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || byText(a, b))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, list]) => ({
          group,
          version,
          resources: list.sort((a, b) => byText(a.plural, b.plural)),
        })),
    }));
};
