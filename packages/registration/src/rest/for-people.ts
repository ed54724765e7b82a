import { parseExactJson } from '@perigee/api/exact-json';
import { headerOf, type RestReply, type RestRequest } from './exchange.ts';

const READ_BY_PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** More than anybody reads; to take it apart once more would hold up others. */
const LONGEST_READ = 256 * 1024;

/** The answer with line breaks, for programs in which people read it, as Kubernetes has it. */
export const forPeople = (request: RestRequest, reply: RestReply): RestReply =>
  READ_BY_PEOPLE.test(headerOf(request, 'user-agent') ?? '') &&
  reply.body !== '' &&
  reply.body.length <= LONGEST_READ
    ? { ...reply, body: `${JSON.stringify(parseExactJson(reply.body), null, 2)}\n` }
    : reply;
