import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import type { Jwt } from './jwt.ts';
import { signatureCheck } from './signature-check.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

/** Who makes the service account tokens of one cluster, and who may use them unless they say otherwise. */
export interface TokenIssuer {
  readonly url: string;
  readonly audiences: readonly string[];
  readonly key: SigningKey;
  /** Whether the key signed a token. */
  readonly isSigned: (jwt: Jwt) => boolean;
}

const ROOT_ISSUER = 'https://kubernetes.default.svc';

export const issuerUrl = (cluster: string): string =>
  cluster === ROOT_CLUSTER ? ROOT_ISSUER : `${ROOT_ISSUER}/clusters/${cluster}`;

/**
 * Every cluster has an issuer and a key of its own, so that a token says where it is valid, and nobody who
 * has the key of one cluster can make tokens for another.
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
