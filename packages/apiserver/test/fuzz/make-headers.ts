import type { Chance } from './chance.ts';
import { ODD_TEXTS } from './odd-values.ts';

export type Headers = readonly (readonly [name: string, value: string])[];

export const ACCEPTS: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf,application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
  'application/cbor',
  'text/html',
  '*/*',
  'application/*;q=0.1',
  'application/json;stream=watch',
  'a/b;;=;q=,',
];

const CONTENT_TYPES: readonly string[] = [
  'application/json',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/cbor',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  '/',
];

const WEB_SOCKET: Headers = [
  ['connection', 'Upgrade'],
  ['upgrade', 'websocket'],
  ['sec-websocket-version', '13'],
  ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

const ODD: readonly Headers[] = [
  [['impersonate-user', 'system:admin']],
  [
    ['impersonate-user', 'x'],
    ['impersonate-group', 'system:masters'],
  ],
  [['impersonate-group', 'system:masters']],
  [
    ['impersonate-user', 'system:serviceaccount:other:default'],
    ['impersonate-uid', '1'],
    ['impersonate-extra-a%2fb', 'c'],
  ],
  [['impersonate-extra-%zz', 'c']],
  [['x-remote-user', 'admin']],
  [
    ['x-remote-user', 'admin'],
    ['x-remote-group', 'system:masters'],
  ],
  [['x-forwarded-for', '127.0.0.1, x']],
  [['x-http-method-override', 'DELETE']],
  [['x-original-url', '/clusters/m2/api/v1/secrets']],
  [['range', 'bytes=0-10']],
  [['range', 'bytes=99-1']],
  [['expect', '100-continue']],
  [['expect', 'something']],
  [['if-none-match', '*']],
  [['cookie', 'a=b; __proto__=c']],
  [['origin', 'https://example.com']],
  [['audit-id', 'x'.repeat(1000)]],
  [['user-agent', '']],
  [['user-agent', '\u00e9\u00ff/1']],
  [['accept-encoding', 'gzip;q=0, br, *']],
  [['content-encoding', 'gzip']],
  [['content-encoding', 'br']],
  [['te', 'trailers']],
  [['upgrade', 'h2c']],
  [['x-long', 'x'.repeat(20_000)]],
];

/** Only HTTP/1.1 can carry these. */
const OF_CONNECTIONS: readonly Headers[] = [
  WEB_SOCKET,
  [...WEB_SOCKET, ['sec-websocket-protocol', 'base64url.bearer.authorization.k8s.io.eA, x']],
  [
    ['connection', 'Upgrade'],
    ['upgrade', 'SPDY/3.1'],
  ],
  [['connection', 'close, content-length']],
  [['host', 'm2.localhost']],
  [['host', 'root.localhost']],
  [['host', 'm1.localhost']],
  [['host', '']],
  [['host', '[::1]:80, m2.localhost']],
  [['keep-alive', 'timeout=0']],
  [['proxy-connection', 'keep-alive']],
];

const authorizations = (token: string): readonly Headers[] => [
  [],
  [['authorization', `bearer  ${token}`]],
  [['authorization', `Bearer ${token}x`]],
  [['authorization', 'Bearer']],
  [['authorization', 'Bearer a.b.c']],
  [['authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ.']],
  [['authorization', 'Basic YWRtaW46YWRtaW4=']],
  [
    ['authorization', `Bearer ${token}`],
    ['authorization', 'Bearer other'],
  ],
];

export interface HeaderOptions {
  readonly token: string;
  readonly version: 1 | 2;
}

/** The headers of a request, without those about the length of its body. */
export const makeHeaders = (chance: Chance, { token, version }: HeaderOptions): Headers => {
  const headers: (readonly [string, string])[] = [];
  if (chance.happens(0.9)) headers.push(['authorization', `Bearer ${token}`]);
  else headers.push(...chance.pick(authorizations(token)));
  if (chance.happens(0.6)) headers.push(['accept', chance.pick(ACCEPTS)]);
  if (chance.happens(0.9)) headers.push(['content-type', chance.pick(CONTENT_TYPES)]);
  if (chance.happens(0.3)) headers.push(['accept-encoding', 'gzip']);
  while (chance.happens(0.25)) headers.push(...chance.pick(ODD));
  if (version === 1) while (chance.happens(0.1)) headers.push(...chance.pick(OF_CONNECTIONS));
  if (chance.happens(0.05)) {
    headers.push([
      chance.pick(['accept', 'content-type', 'x-odd', 'impersonate-user']),
      oddValue(chance),
    ]);
  }
  return version === 1 ? headers : once(headers);
};

/** A value that a header can have at all. */
const oddValue = (chance: Chance): string =>
  chance.pick(ODD_TEXTS).replace(/[^\x20-\x7e\x80-\xff]/g, '?');

/** Node's client sends each header once. */
const once = (headers: Headers): Headers => {
  const left = headers.filter(([name]) => !['upgrade', 'te', 'expect'].includes(name));
  return [...new Map(left)];
};
