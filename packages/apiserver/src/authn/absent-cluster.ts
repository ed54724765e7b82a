import { goQuote } from '@perigee/schema/go-text';
import { refusal } from '../status/refusal.ts';
import { type AuthenticatorOptions, createAuthenticator } from './authenticate.ts';
import type { RequestFacts } from './request-facts.ts';
import { issuerUrl, type TokenIssuer } from './token-issuer.ts';

/** A cluster that is not there has made no tokens. To look at one takes as long as where it is. */
const issuerOfNone = (cluster: string, other: TokenIssuer): TokenIssuer => {
  const url = issuerUrl(cluster);
  return {
    url,
    audiences: [url],
    key: other.key,
    isSigned: (jwt) => {
      other.isSigned(jwt);
      return false;
    },
  };
};

/**
 * Refuses a request to a cluster that is not there, exactly as one that is there refuses who is not known
 * in it. Only who would be let in learns that there is nothing.
 */
export const refuseAbsent = (
  cluster: string,
  options: Omit<AuthenticatorOptions, 'cluster' | 'objects'>,
  facts: RequestFacts,
): never => {
  const authenticator = createAuthenticator({
    ...options,
    cluster,
    issuer: issuerOfNone(cluster, options.issuer),
    objects: () => undefined,
  });
  const found = authenticator.authenticate(facts);
  if ('refused' in found) throw found.refused;
  throw refusal(404, 'NotFound', `there is no cluster ${goQuote(cluster)} in this server`, {});
};
