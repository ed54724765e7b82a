import type { Clock } from '@perigee/kube/clock/clock';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import type { Access } from '../access/access.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry, Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import type { PodLogSource } from './pod-log-source.ts';
import type { ResourceCatalog } from './resource-catalog.ts';

/** One API: the resources that it serves, and where their objects are. All verbs work on this. */
export interface Registry {
  readonly store: Store;
  readonly clock: Clock;
  readonly resources: ResourceCatalog;
  /** Prefix of its tables, which separates it from other APIs in the same store. */
  readonly cluster: string;
  /** Decides access reviews; all requests are allowed by default. */
  readonly access?: Access;
  /**
   * Allocates exclusive values of an object, such as the address of a service, during the decision. None are
   * allocated by default.
   */
  readonly allocate?: (
    resource: ServedResource,
    object: JsonObject,
    old: JsonObject | undefined,
  ) => JsonObject;
  /** Throws an `ApiError` to refuse a write; all writes are allowed by default. */
  readonly admit?: (resource: ServedResource, write: Write) => void;
  /** Admission of every write; none by default. */
  readonly admission?: Admission;
  /** Provider of container logs; none by default. */
  readonly podLogs?: PodLogSource;
  /** User of the requests; the server itself by default. */
  readonly caller?: Caller;
}

/** The user of a request. */
export interface Caller {
  readonly user: UserInfo;
  /** Sends a warning to the client. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event. */
  readonly annotate?: (key: string, value: string) => void;
}

/** An object that is about to be stored. */
export interface Write {
  readonly name: string;
  readonly namespace?: string;
  readonly object: JsonObject;
  /** The stored object before the write. */
  readonly old?: JsonObject;
}

/** Target of a request; without a name, all objects of the namespace or of the kind. */
export interface Target {
  readonly namespace?: string;
  readonly name?: string;
}

export const tableOf = ({ cluster }: Registry, { storage }: ServedResource): string =>
  `${cluster}/${storage.group}/${storage.plural}`;

export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The beginning of the keys of a namespace; undefined when the keys have none, or all are meant. */
export const prefixOf = (namespace: string | undefined): string | undefined =>
  namespace === undefined ? undefined : `${namespace}/`;

export const namespaceOf = ({ cluster, store }: Registry, name: string): Entry | undefined =>
  store.get(`${cluster}//namespaces`, name);
