import type {
  ResourceKind,
  StoredObjectOf,
  WrittenObject,
  WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import { Pod } from '@perigee/kubernetes/core/pod';
import { isJsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Clock } from '../clock/clock.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';
import { ApiCaller, type ApiRequest } from './api-caller.ts';
import type {
  CallOptions,
  Client,
  DeleteOptions,
  DiscoverOptions,
  GetOptions,
  List,
  ListOptions,
  ObjectRef,
  Patch,
  PodLogOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { ApiResource } from './discovery.ts';
import { fetchDiscovery } from './fetch-discovery.ts';
import { deleteBody, patchBody, writeQuery } from './request-parts.ts';
import { checkNewPlace, resourcePath, withQuery } from './resource-path.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';
import { checkAddresses } from './server-url.ts';
import type { Transport } from './transport.ts';
import { fillTypeMeta, type TypeMeta, withTypeMeta } from './type-meta.ts';
import { WatchStream } from './watch-stream.ts';

/** Old servers know only the second. */
const READY_PATHS = ['/readyz', '/healthz'];

const NOT_FOUND = 404;

/** True if the server reports that it is ready. An unreachable one throws. */
const fetchReadiness = async (caller: ApiCaller, { signal }: CallOptions): Promise<boolean> => {
  for (const path of READY_PATHS) {
    try {
      await caller.text({ method: 'GET', path, ...present({ signal }) });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code !== NOT_FOUND) return false;
    }
  }
  return false;
};

export interface ApiClientOptions {
  readonly clock: Clock;
  /** Told of what is odd but no failure, such as an API group whose discovery fails. */
  readonly logger?: Pick<Logger, 'warn'>;
  /** Told of the server's own warnings, such as deprecations; the logger is, unless given. */
  readonly onWarning?: (text: string) => void;
  readonly userAgent?: string;
  readonly retry?: Partial<RetryPolicy>;
  /** A watch event that is larger breaks the watch; 16 MiB unless given. */
  readonly largestEventBytes?: number;
}

const metadataAs = (kind: string): string =>
  `application/json;as=${kind};v=v1;g=meta.k8s.io,application/json`;

/** Asks for metadata only, or for whole objects from a server that cannot do that. */
const accepting = (kind: string, metadataOnly: boolean | undefined) =>
  metadataOnly ? { accept: metadataAs(kind) } : {};

const isObject = (value: unknown): boolean => isJsonObject(value) && isJsonObject(value.metadata);

const LARGEST_EVENT_BYTES = 16 * 1024 * 1024;

/** Sends requests over the transport, as configured. */
const openCaller = (
  config: ClusterConfig,
  transport: Transport,
  options: ApiClientOptions,
): ApiCaller => {
  const { clock, logger, userAgent = 'perigee' } = options;
  checkAddresses(config);
  const onWarning = options.onWarning ?? ((text) => logger?.warn(`${config.server}: ${text}`));
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  return new ApiCaller(config, transport, { clock, retry, userAgent, onWarning });
};

/** A client that speaks to an API server over HTTP. Disposing it ends all that is under way. */
export class ApiClient implements Client, AsyncDisposable {
  readonly #transport: Transport;
  /** For requests that a `Client` does not know. */
  readonly caller: ApiCaller;
  readonly #options: ApiClientOptions;

  constructor(config: ClusterConfig, transport: Transport, options: ApiClientOptions) {
    this.#transport = transport;
    this.caller = openCaller(config, transport, options);
    this.#options = options;
  }

  async get<K extends ResourceKind>(kind: K, ref: ObjectRef, options: GetOptions = {}) {
    const { resourceVersion, subresource, metadataOnly, signal } = options;
    const path = withQuery(resourcePath(kind, { ...ref, subresource }), { resourceVersion });
    const accept = accepting('PartialObjectMetadata', metadataOnly);
    return this.#object(kind, { method: 'GET', path, signal, ...accept });
  }

  async list<K extends ResourceKind>(kind: K, options: ListOptions = {}) {
    const { namespace, signal, metadataOnly, ...query } = options;
    const path = withQuery(resourcePath(kind, { namespace }), query);
    const accept = accepting('PartialObjectMetadataList', metadataOnly);
    const list = await this.caller.object({ method: 'GET', path, kind, signal, ...accept });
    // Servers in Go write null for a list of nothing, unless they take care.
    const { metadata, items: sentItems } = list;
    const items = sentItems ?? [];
    if (!(isJsonObject(metadata) && Array.isArray(items) && items.every(isObject))) {
      throw this.caller.senseless('no list of objects');
    }
    const objects = items as unknown as List<StoredObjectOf<K> & TypeMeta>['items'];
    fillTypeMeta(kind, objects);
    return { metadata: metadata as unknown as List<StoredObjectOf<K>>['metadata'], items: objects };
  }

  watch<K extends ResourceKind>(
    kind: K,
    options: WatchOptions = {},
  ): AsyncIterable<WatchEvent<StoredObjectOf<K>>> {
    const { namespace, signal, sendInitialEvents, metadataOnly, ...query } = options;
    const path = withQuery(resourcePath(kind, { namespace }), {
      watch: true,
      allowWatchBookmarks: true,
      ...(sendInitialEvents
        ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
        : {}),
      ...query,
    });
    const { largestEventBytes = LARGEST_EVENT_BYTES } = this.#options;
    const accept = accepting('PartialObjectMetadata', metadataOnly);
    const request = { method: 'GET', path, kind, signal, largestEventBytes, ...accept } as const;
    return { [Symbol.asyncIterator]: () => new WatchStream(this.caller, request) };
  }

  async create<K extends ResourceKind>(
    kind: K,
    object: WrittenObjectOf<K>,
    options: WriteOptions = {},
  ) {
    const { metadata } = object as WrittenObject;
    const { subresource, signal } = options;
    const name = subresource === undefined ? undefined : (metadata.name ?? '');
    const target = { namespace: metadata.namespace, name, subresource };
    checkNewPlace(kind, target);
    const path = withQuery(resourcePath(kind, target), writeQuery(options));
    const body = withTypeMeta(kind, object as WrittenObject, subresource);
    return this.#object(kind, { method: 'POST', path, body, signal });
  }

  async update<K extends ResourceKind>(
    kind: K,
    object: WrittenObjectOf<K>,
    options: WriteOptions = {},
  ) {
    const { metadata } = object as WrittenObject;
    const { subresource, signal } = options;
    const target = { namespace: metadata.namespace, name: metadata.name ?? '', subresource };
    const path = withQuery(resourcePath(kind, target), writeQuery(options));
    const body = withTypeMeta(kind, object as WrittenObject, subresource);
    return this.#object(kind, { method: 'PUT', path, body, signal });
  }

  async patch<K extends ResourceKind>(
    kind: K,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ) {
    const { subresource, signal } = options;
    const path = withQuery(resourcePath(kind, { ...ref, subresource }), {
      ...writeQuery(options),
      ...(patch.type === 'apply' ? { fieldManager: patch.fieldManager, force: patch.force } : {}),
    });
    return this.#object(kind, { method: 'PATCH', path, signal, ...patchBody(kind, patch) });
  }

  async delete<K extends ResourceKind>(kind: K, ref: ObjectRef, options: DeleteOptions = {}) {
    const path = resourcePath(kind, ref);
    const body = deleteBody(options);
    await this.caller.call({ method: 'DELETE', path, kind, body, signal: options.signal });
  }

  async deleteCollection<K extends ResourceKind>(
    kind: K,
    options: ListOptions & DeleteOptions = {},
  ) {
    const { namespace, labelSelector, fieldSelector, limit, signal } = options;
    const { resourceVersion, resourceVersionMatch, continue: token } = options;
    const path = withQuery(resourcePath(kind, { namespace }), {
      labelSelector,
      fieldSelector,
      limit,
      continue: token,
      resourceVersion,
      resourceVersionMatch,
    });
    await this.caller.call({ method: 'DELETE', path, kind, body: deleteBody(options), signal });
  }

  discover(options: DiscoverOptions = {}): Promise<readonly ApiResource[]> {
    return fetchDiscovery(this.caller, this.#options.logger, options);
  }

  ready(options: CallOptions = {}): Promise<boolean> {
    return fetchReadiness(this.caller, options);
  }

  podLog(pod: ObjectRef, { signal, ...query }: PodLogOptions = {}): Promise<string> {
    const path = withQuery(resourcePath(Pod, { ...pod, subresource: 'log' }), { ...query });
    return this.caller.text({ method: 'GET', path, kind: Pod, accept: '*/*', signal });
  }

  async version({ signal }: CallOptions = {}) {
    const version = await this.caller.call({ method: 'GET', path: '/version', signal });
    return version as { readonly gitVersion: string; readonly platform?: string };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  async #object<K extends ResourceKind>(kind: K, request: ApiRequest): Promise<StoredObjectOf<K>> {
    const object = await this.caller.object({ ...request, kind });
    // The answer to a write of a subresource may be of another kind, such as a Status.
    if (request.method === 'GET' && !isObject(object)) throw this.caller.senseless('no object');
    return object as unknown as StoredObjectOf<K>;
  }
}
