import {
  escapedPath,
  hostnameOf,
  parseRequestUri,
  portOf,
  queryOf,
  type Uri,
} from '../../formats/uri.ts';
import { textCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { ListValue, MapValue, OpaqueValue } from '../values.ts';

type UrlValue = OpaqueValue<Uri>;

/** The fragment is not part of what is sent to a server, and not part of what is checked. */
const withoutFragment = (text: string): string => text.split('#')[0] ?? '';

const toUrl = (text: string): UrlValue => {
  const whole = parseRequestUri(text);
  const uri = 'error' in whole ? whole : parseRequestUri(withoutFragment(text));
  if ('error' in uri) {
    throw new CelFailure(`URL parse error during conversion from string: ${uri.error}`);
  }
  return new OpaqueValue('URL', uri, (value) => JSON.stringify(value));
};

const query = ({ value }: UrlValue): MapValue =>
  new MapValue(new Map([...queryOf(value)].map(([key, values]) => [key, new ListValue(values)])));

const walk = (text: string): number => textCost(text.length);
const partCost = ({ value }: UrlValue): number => 1 + walk(value.path) + walk(value.query);

export const URLS: readonly Overload[] = [
  func('url(string): URL', toUrl, walk),
  func('isURL(string): bool', (text: string) => !('error' in parseRequestUri(text)), walk),
  method('URL', 'getScheme(): string', ({ value }: UrlValue) => value.scheme),
  method('URL', 'getHost(): string', ({ value }: UrlValue) => value.host),
  method('URL', 'getHostname(): string', ({ value }: UrlValue) => hostnameOf(value)),
  method('URL', 'getPort(): string', ({ value }: UrlValue) => portOf(value)),
  method('URL', 'getEscapedPath(): string', ({ value }: UrlValue) => escapedPath(value), partCost),
  method('URL', 'getQuery(): map<string, list<string>>', query, partCost),
];
