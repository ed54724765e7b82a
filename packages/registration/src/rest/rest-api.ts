import { KnownIds } from '../operations/known-ids.ts';
import type { RestReply, RestRequest } from './exchange.ts';
import { forPeople } from './for-people.ts';
import { handleRequest } from './handle-request.ts';
import { problemReply } from './problem.ts';
import { PREFIXES } from './routes.ts';

/** The REST API, for whatever server carries it. */
export interface RestApi {
  /** How its paths begin. */
  readonly prefixes: readonly string[];
  answer(request: RestRequest): Promise<RestReply>;
  /** The answer for what `answer` throws, and for what the server itself refuses. */
  refuse(error: unknown): RestReply;
}

export const createRestApi = (): RestApi => {
  const knownIds = new KnownIds();
  return {
    prefixes: PREFIXES,
    answer: async (request) => forPeople(request, await handleRequest(request, knownIds)),
    refuse: problemReply,
  };
};
