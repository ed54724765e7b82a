import type { RestReply, RestRequest } from './exchange.ts';
import { handleRequest } from './handle-request.ts';
import { problemReply } from './problem.ts';
import { PREFIX } from './routes.ts';

/** The REST API, for whatever server carries it. */
export interface RestApi {
  /** How its paths begin. */
  readonly prefix: string;
  answer(request: RestRequest): Promise<RestReply>;
  /** The answer for what `answer` throws, and for what the server itself refuses. */
  refuse(error: unknown): RestReply;
}

export const restApi: RestApi = { prefix: PREFIX, answer: handleRequest, refuse: problemReply };
