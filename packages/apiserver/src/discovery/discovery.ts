import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { aggregatedDiscovery } from './aggregated-document.ts';
import { type ApiGroup, apiGroups } from './api-groups.ts';
import { contentTypeOf, type DiscoveryForm } from './discovery-form.ts';
import { type JsonDocument, jsonDocument } from './json-document.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy-documents.ts';

/** The discovery documents of a server, rebuilt when its resources change. */
export interface Discovery {
  /**
   * The document at a path such as `/apis/apps/v1`; nothing where there is none. Another address than the
   * usual one is for those who reach the server by it.
   */
  readonly document: (
    path: string,
    form?: DiscoveryForm,
    serverAddress?: string,
  ) => JsonDocument | undefined;
}

export interface DiscoveryOptions {
  /** Host and port under which clients reach the server. */
  readonly serverAddress: string;
}

const isCore = ({ group }: ApiGroup): boolean => group === '';

/** Serves the discovery documents of these resources; makes each of them when it is first asked for. */
export const createDiscovery = (
  resources: Iterable<ServedResource>,
  { serverAddress }: DiscoveryOptions,
): Discovery => {
  const groups = apiGroups(resources);
  const core = groups.filter(isCore);
  const namedGroups = groups.filter((group) => !isCore(group));
  const documentCache = new Map<string, JsonDocument>();

  const legacy = new Map<string, () => JsonObject>([
    ['/api', () => apiVersions(core[0], serverAddress)],
    ['/apis', () => apiGroupList(namedGroups)],
  ]);
  for (const group of groups) {
    const root = isCore(group) ? '/api' : `/apis/${group.group}`;
    if (!isCore(group)) legacy.set(root, () => apiGroup(group));
    for (const api of group.versions) {
      legacy.set(`${root}/${api.version}`, () => apiResourceList(api));
    }
  }

  const make = (path: string, form: DiscoveryForm): JsonObject | undefined => {
    if (form === 'legacy') return legacy.get(path)?.();
    return aggregatedDiscovery(path === '/api' ? core : namedGroups, form);
  };

  return {
    document: (path, requestedForm = 'legacy', address = serverAddress) => {
      const form = path === '/api' || path === '/apis' ? requestedForm : 'legacy';
      if (path === '/api' && form === 'legacy' && address !== serverAddress) {
        return jsonDocument(apiVersions(core[0], address), contentTypeOf(form));
      }
      const key = `${form} ${path}`;
      const cachedDocument = documentCache.get(key);
      if (cachedDocument !== undefined) return cachedDocument;
      const value = make(path, form);
      if (value === undefined) return undefined;
      const document = jsonDocument(value, contentTypeOf(form));
      documentCache.set(key, document);
      return document;
    },
  };
};
