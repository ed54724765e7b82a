/** The parts of a URI, as Go's `net/url` splits it. */
export interface Uri {
  readonly scheme: string;
  /** The host with its port, if it has one. */
  readonly host: string;
  /** The path, percent-encoded as it was written. */
  readonly path: string;
  readonly query: string;
}

export interface BadUri {
  readonly error: string;
}

const UNRESERVED = /^[A-Za-z0-9\-_.~]$/;
const HOST_CHARS = '!$&\'()*+,;=:[]<>"';
const PATH_CHARS = "$&+,/:;=@!'()*[]%";
const USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

const hasControls = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
};

const badEscape = (text: string): string | undefined =>
  /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];

const splitScheme = (text: string): { readonly scheme: string; readonly rest: string } | BadUri => {
  if (text.startsWith(':')) return { error: 'missing protocol scheme' };
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*):(.*)$/s.exec(text);
  if (match === null) return { scheme: '', rest: text };
  return { scheme: (match[1] ?? '').toLowerCase(), rest: match[2] ?? '' };
};

const hostProblem = (host: string): string | undefined => {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return "missing ']' in host";
    const port = host.slice(end + 1);
    if (!/^(:\d*)?$/.test(port)) return `invalid port "${port}" after host`;
  } else {
    const colon = host.indexOf(':');
    const port = colon < 0 ? '' : host.slice(colon);
    if (!/^(:\d*)?$/.test(port)) return `invalid port "${port}" after host`;
  }
  const bad = badEscape(host) ?? /%(?!25)[0-7]./.exec(host)?.[0];
  if (bad !== undefined) return `invalid URL escape "${bad}"`;
  for (const char of host) {
    const isFine =
      char === '%' || char > '\x7f' || UNRESERVED.test(char) || HOST_CHARS.includes(char);
    if (!isFine) return `invalid character ${JSON.stringify(char)} in host name`;
  }
  return undefined;
};

const splitAuthority = (authority: string): { readonly host: string } | BadUri => {
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const user = authority.slice(0, Math.max(0, at));
  if (!USER_INFO.test(user)) return { error: 'net/url: invalid userinfo' };
  const problem = hostProblem(host);
  return problem === undefined ? { host } : { error: problem };
};

/** Reads an absolute URI or an absolute path, as in the request line of HTTP; it has no fragment. */
export const parseRequestUri = (text: string): Uri | BadUri => {
  const wrong = (why: string): BadUri => ({ error: `parse ${JSON.stringify(text)}: ${why}` });
  if (hasControls(text)) return wrong('net/url: invalid control character in URL');
  if (text === '') return wrong('empty url');
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  const split = splitScheme(text);
  if ('error' in split) return wrong(split.error);
  const { scheme } = split;
  const [beforeQuery = '', ...queryParts] = split.rest.split('?');
  const query = queryParts.join('?');
  if (!beforeQuery.startsWith('/')) {
    if (scheme === '') return wrong('invalid URI for request');
    return { scheme, host: '', path: '', query };
  }
  let path = beforeQuery;
  let host = '';
  if (scheme !== '' && path.startsWith('//')) {
    const slash = path.indexOf('/', 2);
    const authority = splitAuthority(slash < 0 ? path.slice(2) : path.slice(2, slash));
    if ('error' in authority) return wrong(authority.error);
    host = authority.host;
    path = slash < 0 ? '' : path.slice(slash);
  }
  const bad = badEscape(path);
  if (bad !== undefined) return wrong(`invalid URL escape "${bad}"`);
  return { scheme, host, path, query };
};

/** Percent-encodes what may not stand in a path as it is. */
export const escapedPath = ({ path }: Uri): string =>
  [...path]
    .map((char) =>
      UNRESERVED.test(char) || PATH_CHARS.includes(char) ? char : encodeURIComponent(char),
    )
    .join('');

export const hostnameOf = ({ host }: Uri): string =>
  host.startsWith('[') ? host.slice(1, host.lastIndexOf(']')) : (host.split(':')[0] ?? '');

export const portOf = ({ host }: Uri): string => /:(\d*)$/.exec(host)?.[1] ?? '';

const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/** The parameters of the query, each with all of its values; what is malformed is left out. */
export const queryOf = ({ query }: Uri): ReadonlyMap<string, readonly string[]> => {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [rawKey = '', ...rest] = pair.split('=');
    const key = decodePercent(rawKey);
    const value = decodePercent(rest.join('='));
    if (key === undefined || value === undefined) continue;
    const values = parameters.get(key);
    if (values === undefined) parameters.set(key, [value]);
    else values.push(value);
  }
  return parameters;
};
