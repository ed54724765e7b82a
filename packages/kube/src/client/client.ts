import type { KubeObject } from '@perigee/api/meta/object-meta';
import type {
  ResourceKind,
  StoredObjectOf,
  WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import type { ApiResource } from './discovery.ts';

/** Reference to an object. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string;
}

export type Subresource = 'status' | 'scale' | (string & {});

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface DiscoverOptions extends CallOptions {
  /** Told of each API version, such as `metrics.k8s.io/v1beta1`, of which nothing could be found out. */
  readonly onMissing?: (apiVersion: string) => void;
}

export interface GetOptions extends CallOptions {
  /** Requests metadata alone, to save traffic; a server that does not support it sends whole objects. */
  readonly metadataOnly?: boolean;
  readonly resourceVersion?: string;
  readonly subresource?: Subresource;
}

export interface ListOptions extends CallOptions {
  /** Requests metadata alone, to save traffic; a server that does not support it sends whole objects. */
  readonly metadataOnly?: boolean;
  /** Absent means all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends CallOptions {
  /** Requests metadata alone, to save traffic; a server that does not support it sends whole objects. */
  readonly metadataOnly?: boolean;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  /** Begins with the present objects as ADDED, ended by a bookmark that `isInitialEventsEnd` detects. */
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  readonly subresource?: Subresource;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** A change to an object. `apply` is server-side apply and needs a field manager. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly PatchOperation[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | {
      readonly type: 'apply';
      readonly body: object;
      readonly fieldManager: string;
      readonly force?: boolean;
    };

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Selects a part of the log of a container. */
export interface PodLogOptions extends CallOptions {
  /** Needed when the pod has several. */
  readonly container?: string;
  /** Number of last lines, all by default. */
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

export interface List<T> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Carries only `metadata.resourceVersion` and annotations. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

/**
 * A Kubernetes API, however it is reached: over HTTP or in the same process. Objects come back as
 * plain data that the caller must not change. Failures of the server are `ApiError`s, failures to
 * reach it `ConnectionError`s; an aborted signal rejects with the signal's reason. A kind that is not
 * served is detected by `isNotServed`, so that it is never taken for an object that is gone (`isNotFound`).
 */
export interface Client {
  get<K extends ResourceKind>(
    kind: K,
    ref: ObjectRef,
    options?: GetOptions,
  ): Promise<StoredObjectOf<K>>;
  /** One page; see `listPages` and `listAll` for the rest. */
  list<K extends ResourceKind>(kind: K, options?: ListOptions): Promise<List<StoredObjectOf<K>>>;
  /**
   * Ends when the server ends the stream; throws when it breaks or the server reports an error
   * (`isGone` detects that the resource version is too old). Stopping the iteration ends the request.
   */
  watch<K extends ResourceKind>(
    kind: K,
    options?: WatchOptions,
  ): AsyncIterable<WatchEvent<StoredObjectOf<K>>>;
  create<K extends ResourceKind>(
    kind: K,
    object: WrittenObjectOf<K>,
    options?: WriteOptions,
  ): Promise<StoredObjectOf<K>>;
  /** Replaces the object; a resource version in it guards against lost updates. */
  update<K extends ResourceKind>(
    kind: K,
    object: WrittenObjectOf<K>,
    options?: WriteOptions,
  ): Promise<StoredObjectOf<K>>;
  patch<K extends ResourceKind>(
    kind: K,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<StoredObjectOf<K>>;
  delete<K extends ResourceKind>(kind: K, ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  deleteCollection<K extends ResourceKind>(
    kind: K,
    options?: ListOptions & DeleteOptions,
  ): Promise<void>;
  /** Every resource that the server serves now. */
  discover(options?: DiscoverOptions): Promise<readonly ApiResource[]>;
  version(
    options?: CallOptions,
  ): Promise<{ readonly gitVersion: string; readonly platform?: string }>;
  /**
   * True if the server reports that it is ready to serve. Absent where there is no such report: whoever answers
   * at all is ready then.
   */
  ready?(options?: CallOptions): Promise<boolean>;
  /** Reads the log of a container. Absent where there are no logs. */
  podLog?(pod: ObjectRef, options?: PodLogOptions): Promise<string>;
}
