import type {
  ResourceKind,
  StoredObjectOf,
  WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import type {
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  List,
  ListOptions,
  ObjectRef,
  Patch,
  PodLogOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { orAborted } from '@perigee/kube/client/or-aborted';
import { checkNewPlace } from '@perigee/kube/client/resource-path';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { applyObject } from '../registry/apply.ts';
import { deleteObject } from '../registry/delete.ts';
import { deleteCollection } from '../registry/delete-collection.ts';
import { getConverted } from '../registry/get.ts';
import { listObjects } from '../registry/list.ts';
import { metaOf } from '../registry/metadata.ts';
import { formOf } from '../registry/object-form.ts';
import { patchObject } from '../registry/patch.ts';
import { readEntries } from '../registry/read-entries.ts';
import { keyOf, type Registry, tableOf } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import { createOrAct } from '../subresources/create-or-act.ts';
import { openPodLog } from '../subresources/open-pod-log.ts';
import { apiResources } from './api-resources.ts';
import { jsonCopy } from './json-copy.ts';
import { servedAs } from './served-as.ts';
import { watchStream } from './watch-stream.ts';

export interface InProcessClientOptions {
  /** Field manager of writes that name none. */
  readonly fieldManager?: string;
  readonly version?: string;
  /** Callback for warnings about writes, such as unknown fields. */
  readonly onWarning?: (text: string) => void;
  /** User of token requests and reviews; the server itself by default. */
  readonly user?: UserInfo;
}

const NEVER = new AbortController().signal;

/** The user of requests from inside the process, which need no authorization. */
const IN_PROCESS = { name: 'system:apiserver', groups: ['system:masters'] };

/** The place of all objects of a namespace, or of everywhere. */
const inside = ({ namespace }: { readonly namespace?: string | undefined }) =>
  namespace === undefined ? {} : { namespace };

/** A client that calls the verbs directly: no connection, the same answers. */
export const createInProcessClient = (
  registry: Registry,
  options: InProcessClientOptions = {},
): Client => new InProcessClient(registry, options);

class InProcessClient implements Client {
  readonly #registry: Registry;
  readonly #options: InProcessClientOptions;

  constructor(registry: Registry, options: InProcessClientOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  get<K extends ResourceKind>(kind: K, ref: ObjectRef, options: GetOptions = {}) {
    return this.#call<StoredObjectOf<K>>(options, async () =>
      getConverted(this.#registry, this.#resourceFor(kind, 'get', ref), { ...options, ...ref }),
    );
  }

  list<K extends ResourceKind>(kind: K, options: ListOptions = {}) {
    return this.#call<List<StoredObjectOf<K>>>(options, async () => {
      const resource = this.#resourceFor(kind, 'list', inside(options));
      const page = await listObjects(this.#registry, resource, options);
      const metadata = {
        resourceVersion: String(page.revision),
        ...present({ continue: page.continue, remainingItemCount: page.remaining }),
      };
      return { metadata, items: await readEntries(this.#registry, resource, page.entries) };
    });
  }

  watch<K extends ResourceKind>(
    kind: K,
    options: WatchOptions = {},
  ): AsyncIterable<WatchEvent<StoredObjectOf<K>>> {
    const open = () =>
      watchStream(this.#registry, this.#resourceFor(kind, 'watch', inside(options)), options);
    return {
      [Symbol.asyncIterator]: () => open() as AsyncIterator<WatchEvent<StoredObjectOf<K>>>,
    };
  }

  create<K extends ResourceKind>(kind: K, object: WrittenObjectOf<K>, options: WriteOptions = {}) {
    return this.#call<StoredObjectOf<K>>(options, () => {
      const body = jsonCopy(object) as JsonObject;
      const { namespace, name } = metaOf(body);
      const { subresource } = options;
      const isPart = subresource !== undefined && name !== undefined;
      const parent = present({ name: isPart ? name : undefined });
      const place = { ...inside({ namespace }), ...parent };
      checkNewPlace(kind, place);
      return createOrAct(
        this.#registry,
        this.#resourceFor(kind, isPart ? 'get' : 'create', place),
        {
          ...this.#write(options),
          ...present({ namespace }),
          ...parent,
          user: this.#options.user ?? IN_PROCESS,
          body,
        },
      );
    });
  }

  update<K extends ResourceKind>(kind: K, object: WrittenObjectOf<K>, options: WriteOptions = {}) {
    return this.#call<StoredObjectOf<K>>(options, () => {
      const body = jsonCopy(object, this.#storedAs(kind, object)) as JsonObject;
      const { name = '', namespace } = metaOf(body);
      const target = namespace === undefined ? { name } : { name, namespace };
      return updateObject(this.#registry, this.#resourceFor(kind, 'update', target), {
        ...this.#write(options),
        ...target,
        body,
      });
    });
  }

  patch<K extends ResourceKind>(kind: K, ref: ObjectRef, patch: Patch, options: WriteOptions = {}) {
    return this.#call<StoredObjectOf<K>>(options, async () => {
      const resource = this.#resourceFor(kind, 'patch', ref);
      const request = { ...this.#write(options), ...ref };
      if (patch.type !== 'apply') {
        const { type } = patch;
        const body = jsonCopy(type === 'json' ? patch.operations : patch.body) as JsonValue;
        return patchObject(this.#registry, resource, { ...request, type, patch: body });
      }
      const { fieldManager, force = false } = patch;
      const config = jsonCopy(patch.body) as JsonObject;
      const apply = { ...request, config, fieldManager, force };
      return (await applyObject(this.#registry, resource, apply)).object;
    });
  }

  delete<K extends ResourceKind>(kind: K, ref: ObjectRef, options: DeleteOptions = {}) {
    return this.#call<void>(options, async () => {
      await deleteObject(this.#registry, this.#resourceFor(kind, 'delete', ref), {
        ...options,
        ...ref,
      });
    });
  }

  deleteCollection<K extends ResourceKind>(kind: K, options: ListOptions & DeleteOptions = {}) {
    return this.#call<void>(options, async () => {
      const resource = this.#resourceFor(kind, 'deletecollection', inside(options));
      await deleteCollection(this.#registry, resource, options);
    });
  }

  discover(options: CallOptions = {}): Promise<readonly ApiResource[]> {
    return this.#call(options, async () => apiResources(this.#registry.resources.values()));
  }

  /** Whoever is in the process only finds a server that is there. */
  ready(options: CallOptions = {}): Promise<boolean> {
    return this.#call<boolean>(options, async () => true);
  }

  podLog(pod: ObjectRef, { signal = NEVER, ...logOptions }: PodLogOptions = {}): Promise<string> {
    return this.#call({ signal }, async () => {
      const resource = this.#resourceFor(Pod, 'get', pod);
      const options = { container: '', previous: false, follow: false, timestamps: false };
      const log = openPodLog(this.#registry, resource, pod, { ...options, ...logOptions }, signal);
      const parts: Buffer[] = [];
      for await (const bytes of log ?? []) parts.push(bytes);
      return Buffer.concat(parts).toString();
    });
  }

  version(options: CallOptions = {}) {
    const { version = 'v1.36.0+perigee' } = this.#options;
    return this.#call<{ readonly gitVersion: string }>(options, async () => ({
      gitVersion: version,
    }));
  }

  #resourceFor(kind: ResourceKind, verb: string, place: Partial<ObjectRef>) {
    return servedAs(this.#registry, kind, verb, place);
  }

  /** The present state of an object that is about to be replaced, most of which usually stays. */
  #storedAs(kind: ResourceKind, { metadata }: { readonly metadata?: object }) {
    const resource = this.#registry.resources.find(kind);
    if (resource === undefined || resource.versions !== undefined) return undefined;
    const { name, namespace } = (metadata ?? {}) as { readonly [field: string]: unknown };
    if (typeof name !== 'string') return undefined;
    const key = keyOf(typeof namespace === 'string' ? namespace : undefined, name);
    const entry = this.#registry.store.get(tableOf(this.#registry, resource), key);
    return entry && formOf(resource).read(entry);
  }

  #write({ dryRun, subresource, fieldManager, fieldValidation }: WriteOptions) {
    const { onWarning } = this.#options;
    const manager = fieldManager ?? this.#options.fieldManager;
    return {
      ...present({ dryRun, subresource, fieldManager: manager, fieldValidation, warn: onWarning }),
    };
  }

  /** The one place where the untyped objects of the store become objects of the caller's kind. */
  async #call<R>({ signal }: CallOptions, work: () => Promise<unknown>): Promise<R> {
    signal?.throwIfAborted();
    return orAborted(work() as Promise<R>, signal);
  }
}
