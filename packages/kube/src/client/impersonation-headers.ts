import { present } from '@perigee/schema/present';
import type { Impersonation } from './cluster-config.ts';

/** Header names allow few characters, so the server decodes the rest from percent signs. */
const extraName = (key: string): string =>
  `impersonate-extra-${encodeURIComponent(key).replace(/[()]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;

/** The headers that ask the server to act as somebody else. */
export const impersonationHeaders = ({
  user,
  uid,
  groups = [],
  extra = {},
}: Impersonation): { readonly [name: string]: string | string[] } => ({
  'impersonate-user': user,
  ...present({ 'impersonate-uid': uid }),
  ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [extraName(key), [...values]]),
  ),
});
