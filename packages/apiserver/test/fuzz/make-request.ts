import { type Chance, chanceOf } from './chance.ts';
import { makeBody } from './make-body.ts';
import { ACCEPTS, type HeaderOptions, type Headers, makeHeaders } from './make-headers.ts';
import { makeTarget, withQuery } from './make-target.ts';
import { makeNearlyRight } from './scenarios.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  /** The seed that makes this request again. */
  readonly seed: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

const METHODS: readonly string[] = ['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'];
const RARE_METHODS: readonly string[] = ['HEAD', 'OPTIONS', 'TRACE', 'SEARCH', 'PURGE', 'LINK'];

const methodOf = (chance: Chance): string =>
  chance.pick(chance.happens(0.93) ? METHODS : RARE_METHODS);

const nearlyRight = (chance: Chance, seed: number, options: HeaderOptions): WireRequest => {
  const { method, path, contentType, body } = makeNearlyRight(chance);
  const odd = chance.happens(0.2) ? makeHeaders(chance, options) : [];
  const right: Headers = [
    ['authorization', `Bearer ${options.token}`],
    ['accept', chance.happens(0.2) ? chance.pick(ACCEPTS) : 'application/json'],
    ...(contentType === undefined ? [] : [['content-type', contentType] as const]),
  ];
  const named = new Set(right.map(([name]) => name));
  const headers = [...right, ...odd.filter(([name]) => !named.has(name))];
  const target = `/clusters/m1${path}`;
  return { seed, method, target: withQuery(chance, target), headers, body };
};

/** The request of a seed: the same seed always makes the same one. */
export const makeRequest = (seed: number, options: HeaderOptions): WireRequest => {
  const chance = chanceOf(seed);
  if (chance.happens(0.6)) return nearlyRight(chance, seed, options);
  const method = methodOf(chance);
  const target = makeTarget(chance);
  const headers = makeHeaders(chance, options);
  const hasBody = chance.happens(/GET|HEAD/.test(method) ? 0.05 : 0.9);
  const body = hasBody ? makeBody(chance) : Buffer.alloc(0);
  return { seed, method, target, headers, body };
};

/** For a report: what was sent, in one line. */
export const describeRequest = ({ seed, method, target, headers, body }: WireRequest): string => {
  const shown = headers.filter(([name]) => name !== 'authorization' && name !== 'x-long');
  return `${seed}: ${method} ${target.slice(0, 300)} ${JSON.stringify(shown)} ${JSON.stringify(body.toString('latin1').slice(0, 600))}`;
};
