import type { Client } from '@perigee/kube/client/client';

/** The part of a client that the REST API uses, acting with the rights of the caller. */
export type CallerClient = Pick<Client, 'get' | 'list' | 'create' | 'update' | 'delete'>;

/** A request, independent of the HTTP server. The caller is authenticated by `client`. */
export interface RestRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By their names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Reads the whole body; throws an `ApiError` with code 413 when it is too large. */
  readonly body: () => Promise<Uint8Array>;
  readonly client: CallerClient;
  /** Yields to the event loop, for handlers with long work. */
  readonly yieldTurn: () => Promise<void>;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** A reply. For HEAD the server omits the body. */
export interface RestReply {
  readonly code: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** Texts for `Warning` headers. */
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
