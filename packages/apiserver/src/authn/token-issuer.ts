import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

/** Who makes the service account tokens of one cluster, and who may use them unless they say otherwise. */
export interface TokenIssuer {
  readonly url: string;
  readonly audiences: readonly string[];
  readonly key: SigningKey;
}

const ROOT_ISSUER = 'https://kubernetes.default.svc';

/**
 * Every cluster has an issuer and a key of its own, so that a token says where it is valid, and nobody who
 * has the key of one cluster can make tokens for another.
 */
export const tokenIssuer = (cluster: string, key: string): TokenIssuer => {
  const url = cluster === ROOT_CLUSTER ? ROOT_ISSUER : `${ROOT_ISSUER}/clusters/${cluster}`;
  return { url, audiences: [url], key: signingKey(key) };
};
