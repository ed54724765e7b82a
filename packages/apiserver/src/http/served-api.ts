import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Troubles } from '@perigee/kube/controller/troubles';
import type { Logger } from '@perigee/kube/observe/logger';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { RequestFacts } from '../authn/request-facts.ts';
import type { HealthCheck } from '../health/probes.ts';
import type { RevisionTimes } from '../history/revision-times.ts';
import type { Registry, Write } from '../registry/registry.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { ApiDocuments } from './api-documents.ts';
import type { Extension } from './extension.ts';

/** A request, as far as its authorization needs it. */
export interface Attempt extends RequestFacts {
  readonly verb: string;
  /** The cluster whose API it is for. */
  readonly cluster: string;
  /** Absent for a path that is no resource. */
  readonly target?: RequestTarget;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
}

/** A user, and the verb of its request. */
export interface Actor {
  readonly user: UserInfo;
  readonly verb: string;
}

/** An API as it is served over HTTP. */
export interface ServedApi {
  readonly registry: Registry;
  readonly documents: ApiDocuments;
  /**
   * Authenticates and authorizes a request, and throws an `ApiError` to refuse it. By default all users are
   * anonymous and allowed all requests.
   */
  readonly authorize?: (attempt: Attempt) => UserInfo | void | Promise<UserInfo> | Promise<void>;
  /** The same for a user whom another API of the server has authenticated. */
  readonly authorizeAs?: (user: UserInfo, attempt: Attempt) => UserInfo;
  /**
   * The same for a path of an extension, which authorizes by the resources that it uses: throws an `ApiError` if
   * the user is unknown. `authorize` by default.
   */
  readonly identify?: (facts: RequestFacts) => UserInfo;
  /** Throws an `ApiError` to refuse a write for what would be written. */
  readonly admit?: (actor: Actor, resource: ServedResource, write: Write) => void;
  /**
   * Further APIs of the same server, each under `/clusters/<name>` and at the host `<name>.localhost`: their
   * documents have the address of the request.
   */
  readonly clusters?: (name: string, by: 'path' | 'host') => ServedApi | undefined;
  /** The kind of the objects that stand for these clusters: its subresource `proxy` leads to them. */
  readonly memberKind?: Pick<ResourceKind, 'group' | 'version' | 'plural'>;
  /**
   * The API in place of a cluster that does not exist: clients learn which clusters exist only after
   * authentication. By default the API itself answers.
   */
  readonly absent?: (name: string) => ServedApi;
  /** Further paths. */
  readonly extensions?: readonly Extension[];
  /**
   * A backup of the whole server, its keys included, as of now. Only the control plane has it, and its reader may
   * become anybody.
   */
  readonly backup?: () => AsyncIterable<Buffer>;
  /** Failures of the controllers in this process; not served if absent. */
  readonly troubles?: Pick<Troubles, 'list' | 'uncounted'>;
  /** Times of revisions; without them, reads by time are refused. */
  readonly times?: RevisionTimes;
  /** Further checks for probes. */
  readonly checks?: readonly HealthCheck[];
  /** Logger for internal errors of the server. */
  readonly logger?: Pick<Logger, 'error'>;
}
