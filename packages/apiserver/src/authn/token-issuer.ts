import { createHash } from 'node:crypto';
import { RecentMap } from '@perigee/schema/recent-map';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import { isSignedBy, type Jwt } from './jwt.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

const MOST_REMEMBERED = 1000;

const digest = ({ content, signature }: Jwt): string =>
  createHash('sha256').update(content).update('.').update(signature).digest('base64');

/**
 * Verifies signatures by one key. Clients send the same token with every request, and verification costs more than
 * most responses, so recent valid signatures are cached.
 */
const signatureCheck = (key: SigningKey): ((jwt: Jwt) => boolean) => {
  const good = new RecentMap<string, true>(MOST_REMEMBERED);
  return (jwt) => {
    const id = digest(jwt);
    if (good.get(id)) return true;
    if (!isSignedBy(key, jwt)) return false;
    good.set(id, true);
    return true;
  };
};

/** Issuer of the service account tokens of one cluster, and their default audiences. */
export interface TokenIssuer {
  readonly url: string;
  readonly audiences: readonly string[];
  readonly key: SigningKey;
  /** True if the key signed a token. */
  readonly isSigned: (jwt: Jwt) => boolean;
}

const ROOT_ISSUER = 'https://kubernetes.default.svc';

export const issuerUrl = (cluster: string): string =>
  cluster === ROOT_CLUSTER ? ROOT_ISSUER : `${ROOT_ISSUER}/clusters/${cluster}`;

/**
 * Every cluster has an issuer and a key of its own, so a token names the cluster in which it is valid, and the key
 * of one cluster signs no tokens for another.
 */
export const tokenIssuer = (cluster: string, key: string): TokenIssuer => {
  const url = issuerUrl(cluster);
  // Many clusters never see a token.
  let signer: SigningKey | undefined;
  let check: ((jwt: Jwt) => boolean) | undefined;
  const keyOf = (): SigningKey => {
    signer ??= signingKey(key);
    return signer;
  };
  return {
    url,
    audiences: [url],
    get key() {
      return keyOf();
    },
    isSigned: (jwt) => {
      check ??= signatureCheck(keyOf());
      return check(jwt);
    },
  };
};
