import type { IncomingHttpHeaders } from 'node:http';
import type { ClientCertificate } from './cluster-config.ts';

/** Kinds of requests: those with a response, and those whose response never ends by itself. */
export type Channel = 'requests' | 'watches';

export interface TransportRequest {
  readonly method: string;
  /** From the root of the server, with the query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string | string[] };
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The head of an answer, of which the body is still to come. */
export interface TransportResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer> & {
    text(): Promise<string>;
    /** Reads the body to its end, so that the connection can be used again. */
    dump(): Promise<unknown>;
  };
}

/** Carries requests to one server. Disposing it ends all that is under way. */
export interface Transport extends AsyncDisposable {
  /** Resolves when the head of the answer is there. */
  send(
    channel: Channel,
    request: TransportRequest,
    certificate: ClientCertificate | undefined,
  ): Promise<TransportResponse>;
}
