import type {
  ResourceKind,
  StoredObjectOf,
  WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import type { JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type {
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  List,
  ListOptions,
  ObjectRef,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../src/client/client.ts';
import type { ApiResource } from '../../src/client/discovery.ts';
import { orAborted } from '../../src/client/or-aborted.ts';
import { type MemoryCluster, objectKey } from './memory-cluster.ts';
import { alreadyExists, badRequest, conflict, notFound } from './memory-cluster-errors.ts';
import { pageOf } from './memory-cluster-page.ts';
import {
  createdObject,
  deletingObject,
  type MemoryObject,
  type MemoryWritten,
  updatedObject,
} from './memory-cluster-write.ts';
import { applyPatch } from './memory-patch.ts';

export interface MemoryCall {
  readonly verb: Exclude<keyof Client, 'discover' | 'version'>;
  readonly kind: ResourceKind;
  readonly ref?: ObjectRef;
  readonly options: CallOptions;
}

/** Hooks that make calls fail (by throwing) or hang (by a promise that stays open). */
export interface MemoryFaults {
  /** Before the server sees the call. */
  before?(call: MemoryCall): void | Promise<void>;
  /** After the server did the work, before the caller gets the answer. Not called for a watch. */
  after?(call: MemoryCall): void | Promise<void>;
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const refOf = (kind: ResourceKind, { metadata }: MemoryWritten): ObjectRef => {
  if (!metadata.name) throw badRequest(`the name of the ${kind.kind} must be provided`);
  return { name: metadata.name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
};

/** The API of a `MemoryCluster`, without HTTP. */
export class MemoryClient implements Client {
  readonly cluster: MemoryCluster;
  readonly #faults: MemoryFaults;

  constructor(cluster: MemoryCluster, faults: MemoryFaults = {}) {
    this.cluster = cluster;
    this.#faults = faults;
  }

  get<K extends ResourceKind>(kind: K, ref: ObjectRef, options: GetOptions = {}) {
    return this.#call<StoredObjectOf<K>>({ verb: 'get', kind, ref, options }, () =>
      this.#existing(kind, ref),
    );
  }

  list<K extends ResourceKind>(kind: K, options: ListOptions = {}) {
    return this.#call<List<StoredObjectOf<K>>>({ verb: 'list', kind, options }, () =>
      pageOf(this.cluster, kind, options),
    );
  }

  async *watch<K extends ResourceKind>(
    kind: K,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<StoredObjectOf<K>>> {
    const { signal } = options;
    await this.#hook('before', { verb: 'watch', kind, options });
    using watch = this.cluster.watch(kind, options);
    const abort = () => watch.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      for (let event = await watch.next(); event; event = await watch.next()) {
        yield event as WatchEvent<StoredObjectOf<K>>;
      }
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  create<K extends ResourceKind>(kind: K, object: WrittenObjectOf<K>, options: WriteOptions = {}) {
    const body = object as unknown as MemoryWritten;
    return this.#call<StoredObjectOf<K>>({ verb: 'create', kind, options }, () =>
      this.#create(kind, body, options),
    );
  }

  update<K extends ResourceKind>(kind: K, object: WrittenObjectOf<K>, options: WriteOptions = {}) {
    const body = object as unknown as MemoryWritten;
    const ref = refOf(kind, body);
    return this.#call<StoredObjectOf<K>>({ verb: 'update', kind, ref, options }, () =>
      this.#update(kind, this.#existing(kind, ref), body, options),
    );
  }

  patch<K extends ResourceKind>(kind: K, ref: ObjectRef, patch: Patch, options: WriteOptions = {}) {
    return this.#call<StoredObjectOf<K>>({ verb: 'patch', kind, ref, options }, () => {
      const old = this.cluster.get(kind, objectKey(ref.namespace, ref.name));
      if (!old && patch.type === 'apply') {
        const newObject = applyPatch({ metadata: { ...ref } }, patch) as unknown as MemoryWritten;
        return this.#create(kind, newObject, options);
      }
      if (!old) throw notFound(kind, ref.name);
      const result = applyPatch(old as unknown as JsonValue, patch) as unknown as MemoryWritten;
      return this.#update(kind, old, result, options);
    });
  }

  delete<K extends ResourceKind>(kind: K, ref: ObjectRef, options: DeleteOptions = {}) {
    return this.#call<void>({ verb: 'delete', kind, ref, options }, () =>
      this.#delete(kind, this.#existing(kind, ref), options),
    );
  }

  deleteCollection<K extends ResourceKind>(kind: K, options: ListOptions & DeleteOptions = {}) {
    return this.#call<void>({ verb: 'deleteCollection', kind, options }, () => {
      for (const object of pageOf(this.cluster, kind, options).items)
        this.#delete(kind, object, options);
      return undefined;
    });
  }

  async discover(options: CallOptions = {}): Promise<readonly ApiResource[]> {
    options.signal?.throwIfAborted();
    return this.cluster.kinds.map(({ group, version, kind, plural, scope }) => ({
      group,
      version,
      kind,
      plural,
      scope,
      singular: kind.toLowerCase(),
      verbs: VERBS,
      shortNames: [],
      categories: [],
      subresources: this.cluster.hasStatus({ group, version, kind, plural, scope })
        ? ['status']
        : [],
      preferred: true,
    }));
  }

  async version(options: CallOptions = {}) {
    options.signal?.throwIfAborted();
    return { gitVersion: 'v1.36.0+memory' };
  }

  /** The one place where the untyped objects of the store become objects of the caller's kind. */
  async #call<R>(
    call: MemoryCall,
    work: () => MemoryObject | List<MemoryObject> | undefined,
  ): Promise<R> {
    await this.#hook('before', call);
    const result = work();
    await this.#hook('after', call);
    return result as R;
  }

  async #hook(when: 'before' | 'after', call: MemoryCall): Promise<void> {
    const hook = async () => this.#faults[when]?.(call);
    await orAborted(hook(), call.options.signal);
  }

  #existing(kind: ResourceKind, ref: ObjectRef): MemoryObject {
    const object = this.cluster.get(kind, objectKey(ref.namespace, ref.name));
    if (!object) throw notFound(kind, ref.name);
    return object;
  }

  #create(kind: ResourceKind, written: MemoryWritten, options: WriteOptions): MemoryObject {
    const { cluster } = this;
    const object = createdObject(kind, written, cluster.hasStatus(kind), cluster.clock);
    const key = objectKey(object.metadata.namespace, object.metadata.name);
    if (cluster.get(kind, key)) throw alreadyExists(kind, object.metadata.name);
    return options.dryRun ? object : cluster.commit(kind, key, object);
  }

  #update(
    kind: ResourceKind,
    old: MemoryObject,
    body: MemoryWritten,
    options: WriteOptions,
  ): MemoryObject {
    const updated = updatedObject(kind, old, body, {
      separateStatus: this.cluster.hasStatus(kind),
      ...(options.subresource ? { subresource: options.subresource } : {}),
    });
    if (options.dryRun || sameJson(updated, old)) {
      return updated;
    }
    const key = objectKey(old.metadata.namespace, old.metadata.name);
    const isReleased = updated.metadata.deletionTimestamp && !updated.metadata.finalizers?.length;
    return this.cluster.commit(kind, key, isReleased ? undefined : updated);
  }

  #delete(kind: ResourceKind, old: MemoryObject, options: DeleteOptions): undefined {
    const { name, namespace, uid, resourceVersion, finalizers } = old.metadata;
    const preconditions = options.preconditions;
    if (
      (preconditions?.uid ?? uid) !== uid ||
      (preconditions?.resourceVersion ?? resourceVersion) !== resourceVersion
    ) {
      throw conflict(kind, name, 'Precondition failed: the object is not the one that was meant');
    }
    if (options.dryRun) return;
    const key = objectKey(namespace, name);
    if (!finalizers?.length) this.cluster.commit(kind, key, undefined);
    else if (!old.metadata.deletionTimestamp) {
      this.cluster.commit(kind, key, deletingObject(old, this.cluster.clock));
    }
  }
}
