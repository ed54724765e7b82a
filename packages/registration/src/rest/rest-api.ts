import { parseExactJson } from '@perigee/schema/exact-json';
import { KnownIds } from '../operations/known-ids.ts';
import type { IdentifyCluster } from '../operations/same-cluster.ts';
import { PREFIXES } from '../routes.ts';
import { headerOf, type RestReply, type RestRequest } from './exchange.ts';
import { handleRequest } from './handle-request.ts';
import { problemReply } from './problem.ts';

const READ_BY_PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Longer replies are not indented: nobody reads them, and formatting would block the event loop. */
const LONGEST_READ = 256 * 1024;

/** Indents the reply for curl, browsers and the like, as kube-apiserver does. */
const forPeople = (request: RestRequest, reply: RestReply): RestReply =>
  READ_BY_PEOPLE.test(headerOf(request, 'user-agent') ?? '') &&
  reply.body !== '' &&
  reply.body.length <= LONGEST_READ
    ? { ...reply, body: `${JSON.stringify(parseExactJson(reply.body), null, 2)}\n` }
    : reply;

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
