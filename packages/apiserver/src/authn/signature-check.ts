import { createHash } from 'node:crypto';
import { RecentMap } from '@perigee/schema/recent-map';
import { isSignedBy, type Jwt } from './jwt.ts';
import type { SigningKey } from './signing-key.ts';

const MOST_REMEMBERED = 1000;

const digest = ({ content, signature }: Jwt): string =>
  createHash('sha256').update(content).update('.').update(signature).digest('base64');

/**
 * Checks signatures by one key. Clients send the same token with every request, and to check it costs more
 * than most answers, so it remembers the last ones that were good: nothing else about them.
 */
export const signatureCheck = (key: SigningKey): ((jwt: Jwt) => boolean) => {
  const good = new RecentMap<string, true>(MOST_REMEMBERED);
  return (jwt) => {
    const id = digest(jwt);
    if (good.get(id)) return true;
    if (!isSignedBy(key, jwt)) return false;
    good.set(id, true);
    return true;
  };
};
