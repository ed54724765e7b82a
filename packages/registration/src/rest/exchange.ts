import type { Client } from '@perigee/kube/client/client';

/** The part of a client that the REST API needs, with the rights of whoever sent the request. */
export type CallerClient = Pick<Client, 'get' | 'list' | 'create' | 'update' | 'delete'>;

/** A request, whatever server took it. Who sent it is known, and stands behind the client. */
export interface RestRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By their names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Reads all of it; throws an `ApiError` with code 413 when it is too large. */
  readonly body: () => Promise<Uint8Array>;
  readonly client: CallerClient;
  /** Lets others go on, for whoever has more to do than fits into one go. */
  readonly giveWay: () => Promise<void>;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The answer. A server leaves the body out when it was asked with HEAD. */
export interface RestReply {
  readonly code: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** For headers of the name Warning. */
  readonly warnings?: readonly string[];
}

export const headerOf = ({ headers }: RestRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
};

export const jsonReply = (
  code: number,
  content: object,
  headers: { readonly [name: string]: string } = {},
): RestReply => ({
  code,
  headers: { 'content-type': 'application/json', ...headers },
  body: `${JSON.stringify(content)}\n`,
});
