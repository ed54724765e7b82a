import { goQuote } from '@perigee/schema/go-text';
import { refusal } from '../status/refusal.ts';
import { type AuthenticatorOptions, createAuthenticator } from './authenticate.ts';
import type { RequestFacts } from './request-facts.ts';
import { issuerUrl, type TokenIssuer } from './token-issuer.ts';

/** An issuer without tokens, for a missing cluster. Checks take as long as in an existing one. */
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
 * Refuses a request to a missing cluster exactly as an existing one refuses an unknown user. Only a user who would be
 * authenticated learns that the cluster is missing.
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
  const authentication = authenticator.authenticate(facts);
  if ('refused' in authentication) throw authentication.refused;
  throw refusal(404, 'NotFound', `there is no cluster ${goQuote(cluster)} in this server`, {});
};
