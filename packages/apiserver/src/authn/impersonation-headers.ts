import { goQuote } from '@perigee/schema/go-text';
import { badRequest } from '../status/request-refusals.ts';
import { headersOf, type RequestFacts } from './request-facts.ts';

/** The user in the impersonation headers of a request. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: { readonly [key: string]: readonly string[] };
}

const EXTRA_PREFIX = 'impersonate-extra-';

/** Headers are UTF-8, and Node decodes them as Latin-1. */
const textOf = (value: string): string => Buffer.from(value, 'latin1').toString();

/** Header names allow few characters, so others in a key are percent-encoded. */
const unescapeKey = (key: string): string => {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
};

const goStrings = (values: readonly string[]): string =>
  `[]string{${values.map((value) => goQuote(value)).join(', ')}}`;

/** In the format of Go, which the messages of Kubernetes contain. */
const describe = ({ uid, groups, extra }: WantedUser): string => {
  const entries = Object.entries(extra)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, values]) => `${goQuote(key)}:${goStrings(values)}`);
  const shownGroups = groups.length === 0 ? '[]string(nil)' : goStrings(groups);
  const shownExtra = entries.length === 0 ? '(nil)' : `{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:map[string][]string${shownExtra}}`;
};

/** Undefined for those who act as themselves. */
export const wantedUser = (facts: RequestFacts): WantedUser | undefined => {
  const headers = headersOf(facts).filter(([name]) => name.startsWith('impersonate-'));
  if (headers.length === 0) return undefined;
  const all = (headerName: string): readonly string[] =>
    headers.filter(([name]) => name === headerName).map(([, value]) => textOf(value));
  const extra = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const key = unescapeKey(name.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), textOf(value)]);
  }
  const impersonatedUser: WantedUser = {
    name: all('impersonate-user')[0] ?? '',
    uid: all('impersonate-uid')[0] ?? '',
    groups: all('impersonate-group'),
    extra: Object.fromEntries(extra),
  };
  if (impersonatedUser.name !== '') return impersonatedUser;
  if (impersonatedUser.uid === '' && impersonatedUser.groups.length === 0 && extra.size === 0)
    return undefined;
  throw badRequest(`requested ${describe(impersonatedUser)} without impersonating a user name`);
};
