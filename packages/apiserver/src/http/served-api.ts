import type { Logger } from '@perigee/kube/observe/logger';
import type { UserInfo } from '../rbac/attributes.ts';
import type { Registry } from '../registry/registry.ts';
import type { ApiDocuments } from './api-documents.ts';
import type { RequestTarget } from './request-target.ts';

/** What somebody wants to do, as far as it takes to say whether they may. */
export interface Attempt {
  readonly verb: string;
  readonly path: string;
  /** Absent for a path that stands for no resource. */
  readonly target?: RequestTarget;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
}

/** An API as it is served over HTTP. */
export interface ServedApi {
  readonly registry: Registry;
  readonly documents: ApiDocuments;
  /** Throws an `ApiError` to refuse; everything is allowed unless given. */
  readonly authorize?: (attempt: Attempt) => void | Promise<void>;
  /** Who sends a request; everybody is anonymous unless given. */
  readonly userOf?: (headers: Attempt['headers']) => UserInfo | Promise<UserInfo>;
  /** Further APIs of the same server, each under `/clusters/<name>`. */
  readonly clusters?: (name: string) => ServedApi | undefined;
  /** Told of faults of the server itself. */
  readonly logger?: Pick<Logger, 'error'>;
}
