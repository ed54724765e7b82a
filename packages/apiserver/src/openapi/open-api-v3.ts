import type { JsonObject } from '@perigee/schema/json';
import { type ApiVersion, apiGroups } from '../discovery/api-groups.ts';
import { type JsonDocument, jsonDocument } from '../discovery/json-document.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { META_SCHEMAS } from './meta-schemas.ts';
import { resourcePaths } from './resource-paths.ts';
import { resourceSchemas } from './resource-schemas.ts';
import { SCALE_SCHEMAS } from './scale-schemas.ts';

/** The OpenAPI v3 documents of a server: its fields and operations. */
export interface OpenApiV3 {
  /**
   * `/openapi/v3`: where the document of each version is, with a hash by which it may be cached.
   * The prefix is that of the logical cluster that is asked.
   */
  readonly index: (prefix?: string) => JsonDocument;
  /** The document of a version, by its path such as `apis/apps/v1`; nothing where there is none. */
  readonly document: (path: string) => JsonDocument | undefined;
}

const sortByKey = <T>(entries: { readonly [key: string]: T }): { readonly [key: string]: T } =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The OpenAPI v3 document of one version of one group. */
export const openApiV3Document = ({ resources }: ApiVersion): JsonObject => ({
  openapi: '3.0.0',
  info: { title: 'Kubernetes', version: 'v1' },
  paths: sortByKey(Object.assign({}, ...resources.map(resourcePaths))),
  components: {
    schemas: sortByKey(
      Object.assign(
        {},
        META_SCHEMAS,
        resources.some(({ scale }) => scale !== undefined) ? SCALE_SCHEMAS : {},
        ...resources.map(resourceSchemas),
      ),
    ),
  },
});

interface Made {
  readonly resources: readonly ServedResource[];
  readonly document: JsonDocument;
}

/**
 * Documents are large and many logical clusters serve the same resources, so a document is made once
 * for a list of resources, and is kept by the first of them as long as that lives.
 */
const documentCache = new WeakMap<ServedResource, Made>();

const documentOf = (api: ApiVersion): JsonDocument => {
  const [first] = api.resources;
  const cachedDocument = first && documentCache.get(first);
  const isSame =
    cachedDocument?.resources.length === api.resources.length &&
    cachedDocument.resources.every((resource, at) => resource === api.resources[at]);
  if (cachedDocument && isSame) return cachedDocument.document;
  const document = jsonDocument(openApiV3Document(api));
  if (first) documentCache.set(first, { resources: api.resources, document });
  return document;
};

const pathOf = ({ group, version }: ApiVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** Serves the OpenAPI v3 documents of these resources; makes each of them when it is first needed. */
export const createOpenApiV3 = (resources: Iterable<ServedResource>): OpenApiV3 => {
  const versions = new Map(
    apiGroups(resources)
      .flatMap((group) => group.versions)
      .map((api) => [pathOf(api), api]),
  );
  return {
    index: (prefix = '') => {
      const paths = [...versions].map(([path, api]) => [
        path,
        { serverRelativeURL: `${prefix}/openapi/v3/${path}?hash=${documentOf(api).hash}` },
      ]);
      return jsonDocument({ paths: sortByKey(Object.fromEntries(paths)) });
    },
    document: (path) => {
      const api = versions.get(path);
      return api && documentOf(api);
    },
  };
};
