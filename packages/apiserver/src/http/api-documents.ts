import { createDiscovery, type Discovery } from '../discovery/discovery.ts';
import { discoveryForm } from '../discovery/discovery-form.ts';
import { type ApiDocument, type JsonDocument, jsonDocument } from '../discovery/json-document.ts';
import { openApiForm, PROTOBUF_V2 } from '../openapi/open-api-form.ts';
import { openApiV2 } from '../openapi/open-api-v2.ts';
import { openApiV2Protobuf } from '../openapi/open-api-v2-protobuf.ts';
import { createOpenApiV3, type OpenApiV3 } from '../openapi/open-api-v3.ts';
import type { ResourceCatalog } from '../registry/resource-catalog.ts';
import type { ServedResource } from '../resource/served-resource.ts';

export interface DocumentOptions {
  /** Host and port under which clients reach the server. */
  readonly serverAddress: string;
  /** The `gitVersion` of `/version`. */
  readonly version: string;
  /** Path prefix of the API on its server, such as `/clusters/member1`; the root by default. */
  readonly prefix?: string;
}

/** The documents that describe an API, by path. */
export type ApiDocuments = (path: string, accept: string | undefined) => ApiDocument | undefined;

/** Documents for a list of resources, shared by all APIs that serve it. */
interface Made {
  readonly discovery: Discovery;
  readonly v3: OpenApiV3;
  v2?: JsonDocument;
  v2Protobuf?: ApiDocument;
}

/** The documents are large, and all clusters without definitions of their own have the same ones. */
const madeOf = new WeakMap<readonly ServedResource[], Made>();

const documentsOf = (resources: readonly ServedResource[], serverAddress: string): Made => {
  const cachedDocuments = madeOf.get(resources);
  if (cachedDocuments !== undefined) return cachedDocuments;
  const discovery = createDiscovery(resources, { serverAddress });
  const newDocuments = { discovery, v3: createOpenApiV3(resources) };
  madeOf.set(resources, newDocuments);
  return newDocuments;
};

const v2Of = (
  sharedDocuments: Made,
  servedResources: readonly ServedResource[],
  accept: string | undefined,
): ApiDocument => {
  sharedDocuments.v2 ??= openApiV2(servedResources);
  if (openApiForm(OPEN_API_V2, accept) !== 'protobuf') return sharedDocuments.v2;
  sharedDocuments.v2Protobuf ??= {
    ...sharedDocuments.v2,
    contentType: PROTOBUF_V2,
    body: openApiV2Protobuf(JSON.parse(sharedDocuments.v2.body)),
  };
  return sharedDocuments.v2Protobuf;
};

const OPEN_API_V2 = '/openapi/v2';
const OPEN_API_V3 = '/openapi/v3';

const versionDocument = (gitVersion: string): JsonDocument => {
  const [major = '', minor = ''] = gitVersion.replace(/^v/, '').split('.');
  return jsonDocument({
    major,
    minor,
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '',
    goVersion: '',
    compiler: '',
    platform: `${process.platform}/${process.arch}`,
  });
};

/** Describes the resources of a catalog. Documents are built on first use, and rebuilt after the catalog changed. */
export const describeApi = (
  resources: ResourceCatalog,
  { serverAddress, version, prefix = '' }: DocumentOptions,
): ApiDocuments => {
  let about: JsonDocument | undefined;
  return (path, accept) => {
    if (path === '/version') {
      about ??= versionDocument(version);
      return about;
    }
    const servedResources = resources.values();
    const documents = documentsOf(servedResources, serverAddress);
    if (path === OPEN_API_V3) return documents.v3.index(prefix);
    if (path.startsWith(`${OPEN_API_V3}/`)) {
      return documents.v3.document(path.slice(OPEN_API_V3.length + 1));
    }
    if (path === OPEN_API_V2) return v2Of(documents, servedResources, accept);
    return documents.discovery.document(path, discoveryForm(accept), serverAddress);
  };
};
