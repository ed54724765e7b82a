import { ApiClient, type ApiClientOptions } from './api-client.ts';
import type { Client } from './client.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { HttpTransport } from './http-transport.ts';
import { checkAddresses } from './server-url.ts';

export interface HttpClientOptions extends ApiClientOptions {
  /** A watch connection on which the server is silent for so long counts as dead; 45 s unless given. */
  readonly deadPeerAfterMs?: number;
  /** An answer that is larger breaks off; 256 MiB unless given. */
  readonly largestAnswerBytes?: number;
}

const DEAD_PEER_AFTER_MS = 45_000;

/** A client for whoever works with a server all the time. Disposing it ends all that is under way. */
export const createHttpClient = (
  config: ClusterConfig,
  options: HttpClientOptions,
): Client & AsyncDisposable => {
  checkAddresses(config);
  const { deadPeerAfterMs = DEAD_PEER_AFTER_MS } = options;
  return new ApiClient(config, new HttpTransport(config, { ...options, deadPeerAfterMs }), options);
};
