import { KnownIds } from '../operations/known-ids.ts';
import type { IdentifyCluster } from '../operations/same-cluster.ts';
import { PREFIXES } from '../routes.ts';
import type { RestReply, RestRequest } from './exchange.ts';
import { forPeople } from './for-people.ts';
import { handleRequest } from './handle-request.ts';
import { problemReply } from './problem.ts';

/** The REST API, independent of the HTTP server. */
export interface RestApi {
  /** Path prefixes that belong to the API. */
  readonly prefixes: readonly string[];
  answer(request: RestRequest): Promise<RestReply>;
  /** The reply to an error of `answer`, or to a request that the server itself refuses. */
  refuse(error: unknown): RestReply;
}

export interface RestApiOptions {
  /**
   * Reads the uid of a cluster, to refuse registering it twice; without it the control plane detects that
   * later.
   */
  readonly identify?: IdentifyCluster;
}

export const createRestApi = (options: RestApiOptions = {}): RestApi => {
  const memory = { ...options, knownIds: new KnownIds() };
  return {
    prefixes: PREFIXES,
    answer: async (request) => forPeople(request, await handleRequest(request, memory)),
    refuse: problemReply,
  };
};
