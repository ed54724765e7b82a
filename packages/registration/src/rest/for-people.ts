import { parseExactJson } from '@perigee/schema/exact-json';
import { headerOf, type RestReply, type RestRequest } from './exchange.ts';

const READ_BY_PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Longer replies are not indented: nobody reads them, and formatting would block the event loop. */
const LONGEST_READ = 256 * 1024;

/** Indents the reply for curl, browsers and the like, as kube-apiserver does. */
export const forPeople = (request: RestRequest, reply: RestReply): RestReply =>
  READ_BY_PEOPLE.test(headerOf(request, 'user-agent') ?? '') &&
  reply.body !== '' &&
  reply.body.length <= LONGEST_READ
    ? { ...reply, body: `${JSON.stringify(parseExactJson(reply.body), null, 2)}\n` }
    : reply;
