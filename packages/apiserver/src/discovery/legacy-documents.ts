import { createHash } from 'node:crypto';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import type { ApiGroup, ApiVersion } from './api-groups.ts';
import { subresourcesOf } from './subresources.ts';

/** Shows clients that migrate storage that the stored version of objects has changed. */
const storageVersionHash = ({ kind, storage }: ServedResource): string =>
  createHash('sha256')
    .update(`${storage.group}/${storage.version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');

const versionEntry = (api: ApiVersion): JsonObject => ({
  groupVersion: apiVersionOf(api),
  version: api.version,
});

const groupEntry = ({ group, versions }: ApiGroup): JsonObject => {
  const entries = versions.map(versionEntry);
  return { name: group, versions: entries, preferredVersion: entries[0] };
};

/** `/api`: the versions of the core group. */
export const apiVersions = (core: ApiGroup | undefined, serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: (core?.versions ?? []).map(({ version }) => version),
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

/** `/apis`: all groups but the core group. */
export const apiGroupList = (groups: readonly ApiGroup[]): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.map(groupEntry),
});

/** `/apis/<group>` */
export const apiGroup = (group: ApiGroup): JsonObject => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  ...groupEntry(group),
});

const resourceEntries = (resource: ServedResource): readonly JsonObject[] => {
  const { plural, singular, scope, kind, verbs, shortNames, categories } = resource;
  const namespaced = scope === 'Namespaced';
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...present({ shortNames: unlessEmpty(shortNames), categories: unlessEmpty(categories) }),
      storageVersionHash: storageVersionHash(resource),
    },
    ...subresourcesOf(resource).map((sub) => ({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced,
      ...(sub.group === resource.group ? {} : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
};

/** `/api/v1` and `/apis/<group>/<version>` */
export const apiResourceList = (api: ApiVersion): JsonObject => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: apiVersionOf(api),
  resources: api.resources.flatMap(resourceEntries),
});
