import type { CallerClient } from './caller-client.ts';

/** A request for a path that an extension has. */
export interface ExtensionCall {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Reads all of it; throws an `ApiError` when it is too large. */
  readonly body: () => Promise<Uint8Array>;
  /** A client with the permissions of the request's user. */
  readonly client: CallerClient;
  /** Yields to other requests, for handlers with much work. */
  readonly yieldTurn: () => Promise<void>;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

export interface ExtensionReply {
  readonly code: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** Warnings for the client, sent beside the response. */
  readonly warnings?: readonly string[];
}

/**
 * Paths outside of the Kubernetes API, with its authentication, limits and audit log. Authorization is by the
 * resources that they use.
 */
export interface Extension {
  /** Prefixes of its paths, such as `/globalscheduler/`. */
  readonly prefixes: readonly string[];
  answer(call: ExtensionCall): Promise<ExtensionReply>;
  /** The response for errors of `answer`, and for refusals before its call. */
  refuse(error: unknown): ExtensionReply;
}
