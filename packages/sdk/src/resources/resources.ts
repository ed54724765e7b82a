import type { KubeObject } from '@perigee/api/meta/object-meta';
import {
  apiVersionOf,
  type ResourceKind,
  type StoredObjectOf,
  type WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import type { CallOptions, ObjectRef, WatchEvent } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { untilChanged } from '@perigee/kube/client/until-changed';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { ignoreNotFound } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';
import type { Connection } from '../connection.ts';

/** The field manager of everything that programs write. */
const MANAGER = 'perigee-sdk';

/** Longer than any program runs. */
export const FOREVER_MS = 2 ** 52;

export interface InNamespace extends CallOptions {
  /** Defaults to the namespace of the connection. */
  readonly namespace?: string;
}

export interface WriteOptions extends InNamespace {
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  /** Runs all checks without writing. */
  readonly dryRun?: boolean;
}

export interface SelectOptions extends InNamespace {
  readonly labelSelector?: string;
  /** In all namespaces. */
  readonly everywhere?: boolean;
}

export interface WaitOptions extends InNamespace {
  /** The longest wait; forever by default. */
  readonly timeoutMs?: number;
}

export type SpecOf<K> =
  WrittenObjectOf<K> extends { readonly spec?: infer S } ? NonNullable<S> : never;

/** The objects of one kind. */
export class Resources<K extends ResourceKind> {
  protected readonly connection: Connection;
  readonly kind: K;

  constructor(connection: Connection, kind: K) {
    this.connection = connection;
    this.kind = kind;
  }

  /** Creates or updates an object by server-side apply. */
  async apply(
    name: string,
    spec: SpecOf<K>,
    options: WriteOptions = {},
  ): Promise<StoredObjectOf<K>> {
    const { labels, annotations, dryRun = false } = options;
    const ref = await this.ref(name, options);
    const client = await this.connection.client();
    const body = {
      apiVersion: apiVersionOf(this.kind),
      kind: this.kind.kind,
      metadata: { ...ref, ...present({ labels, annotations }) },
      spec,
    };
    const patch = { type: 'apply', fieldManager: MANAGER, force: true, body } as const;
    return client.patch(this.kind, ref, patch, { ...signalOf(options), dryRun });
  }

  async get(name: string, options: InNamespace = {}): Promise<StoredObjectOf<K>> {
    const client = await this.connection.client();
    return client.get(this.kind, await this.ref(name, options), signalOf(options));
  }

  async list(options: SelectOptions = {}): Promise<readonly StoredObjectOf<K>[]> {
    const { labelSelector, everywhere = false } = options;
    const client = await this.connection.client();
    const { items } = await listAll(client, this.kind, {
      ...(everywhere ? {} : await this.#place(options)),
      ...present({ labelSelector }),
      ...signalOf(options),
    });
    return items;
  }

  /** Yields the existing objects, then changes as they happen. */
  async *watch(options: SelectOptions = {}): AsyncGenerator<WatchEvent<StoredObjectOf<K>>> {
    const { labelSelector, everywhere = false } = options;
    const client = await this.connection.client();
    const selection = {
      ...(everywhere ? {} : await this.#place(options)),
      ...present({ labelSelector }),
      ...signalOf(options),
    };
    const { items, metadata } = await listAll(client, this.kind, selection);
    for (const object of items) yield { type: 'ADDED', object };
    yield* client.watch(this.kind, { ...selection, resourceVersion: metadata.resourceVersion });
  }

  /** Deletes an object; a missing one is not an error. */
  async delete(name: string, options: InNamespace = {}): Promise<void> {
    const client = await this.connection.client();
    const ref = await this.ref(name, options);
    await client.delete(this.kind, ref, signalOf(options)).catch(ignoreNotFound);
  }

  /** Waits until an object passes the check. */
  async until(
    name: string,
    isDone: (object: StoredObjectOf<K>) => boolean,
    options: WaitOptions = {},
  ): Promise<StoredObjectOf<K>> {
    const { timeoutMs, signal } = options;
    const client = await this.connection.client();
    const ref = await this.ref(name, options);
    const selection = present({ namespace: ref.namespace });
    using deadline = deadlineAfter(this.connection.clock, timeoutMs ?? FOREVER_MS, signal);
    for (;;) {
      deadline.signal.throwIfAborted();
      const object = await client.get(this.kind, ref, { signal: deadline.signal });
      if (isDone(object)) return object;
      const { resourceVersion } = (object as KubeObject).metadata;
      await untilChanged(client, new Map([[this.kind, resourceVersion]]), {
        ...selection,
        signal: deadline.signal,
      });
    }
  }

  protected async ref(name: string, options: InNamespace): Promise<ObjectRef> {
    return { ...(await this.#place(options)), name };
  }

  async #place({ namespace }: InNamespace): Promise<{ readonly namespace?: string }> {
    if (this.kind.scope === 'Cluster') return {};
    return { namespace: namespace ?? (await this.connection.namespace()) };
  }
}

export const signalOf = ({ signal }: CallOptions): CallOptions => present({ signal });
