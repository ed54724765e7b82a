import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { type Answer, type BadRequest, JSON_TYPE, NAMESPACE } from './bad-request.ts';
import { WORLD } from './world.ts';

/** A server to ask. */
export interface Peer {
  readonly url: string;
  readonly authorization?: string;
  readonly ca?: string;
}

interface RawAnswer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/** Sends a request byte for byte as it is meant, which `fetch` would tidy up. */
const send = (peer: Peer, bad: Omit<BadRequest, 'name'>): Promise<RawAnswer> => {
  const { url, authorization, ca } = peer;
  const { method = 'GET', path, body } = bad;
  const { protocol, hostname, port } = new URL(url);
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const headers = {
    accept: 'application/json',
    'content-length': bytes.length,
    ...(authorization === undefined ? {} : { authorization }),
    ...bad.headers,
  };
  const open = protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = open({ hostname, port, path, method, headers, ca, agent: false }, (response) => {
      const code = response.statusCode ?? 0;
      const type = response.headers['content-type'] ?? '';
      if (code < 400) {
        // A watch that was let in would go on for ever.
        response.destroy();
        return void resolve({ code, type, text: '' });
      }
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ code, type, text }));
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
};

/** The parts of an answer that say no. */
const described = ({ code, type, text }: RawAnswer): Answer => {
  if (code < 400) return { code, text: 'no refusal' };
  if (!type.startsWith('application/json') || text === '')
    return { code, text: text.slice(0, 300) };
  const status = JSON.parse(text) as JsonObject;
  const { reason, message, details } = status as { [name: string]: JsonValue };
  return {
    code,
    ...(reason === undefined ? {} : { reason: String(reason) }),
    ...(message === undefined ? {} : { message: String(message) }),
    ...(details === undefined ? {} : { details }),
  };
};

/** Parts that differ from server to server and from run to run. */
const ACCIDENTS: readonly [RegExp, string][] = [
  [/current: \d+/g, 'current: <revision>'],
  [/in record \(\d+\)/g, 'in record (<revision>)'],
  [/[0-9a-f]{8}-(?!0000)[0-9a-f]{4}-[0-9a-f-]{22}/g, '<uid>'],
  [/Up_[a-z0-9]{5}/g, 'Up_<chance>'],
  // The whole object, with its times and owners.
  [/Invalid value: "\{.*\}": /gs, 'Invalid value: "<object>": '],
];

const withoutAccidents = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') {
    return ACCIDENTS.reduce((text, [pattern, name]) => text.replace(pattern, name), value);
  }
  if (Array.isArray(value)) return value.map(withoutAccidents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutAccidents(item ?? null)]),
  );
};

/** The answer to a bad request, without what is an accident of the moment. */
export const ask = async (peer: Peer, bad: BadRequest): Promise<Answer> => {
  const answer = described(await send(peer, bad));
  return withoutAccidents({ ...answer }) as unknown as Answer;
};

const create = (peer: Peer, path: string, body: JsonObject): Promise<RawAnswer> =>
  send(peer, { method: 'POST', path, headers: JSON_TYPE, body });

/** Creates what the requests are about. A definition is served a moment after it was created. */
export const createWorld = async (peer: Peer): Promise<void> => {
  for (const { path, object } of WORLD) {
    let answer = await create(peer, path, object);
    for (let tries = 0; answer.code === 404 && tries < 1000; tries++) {
      answer = await create(peer, path, object);
    }
    if (answer.code !== 201) throw new Error(`${path} answered ${answer.code}: ${answer.text}`);
  }
};

/** Removes what `createWorld` created. */
export const removeWorld = async (peer: Peer): Promise<void> => {
  for (const { path, object } of WORLD.toReversed()) {
    const { name } = object.metadata as { readonly name: string };
    await send(peer, { method: 'DELETE', path: `${path}/${name}` });
  }
  // Nobody may be there who would do this.
  const [{ path, object }] = WORLD;
  const finalize = `${path}/${NAMESPACE}/finalize`;
  await send(peer, { method: 'PUT', path: finalize, headers: JSON_TYPE, body: object });
};
