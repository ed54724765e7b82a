import { X509Certificate } from 'node:crypto';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ApiError } from '@perigee/kube/errors';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import { unauthorized } from '../status/request-refusals.ts';
import { sharedAudiences } from './audiences.ts';
import { checkBoundToken } from './bound-token.ts';
import { checkCertificate } from './client-certificate.ts';
import { checkLegacyToken } from './legacy-token.ts';
import type { LiveObjects } from './live-objects.ts';
import type { RequestFacts } from './request-facts.ts';
import { AUTHENTICATED, UNAUTHENTICATED } from './service-account-user.ts';
import { checkStaticToken, type StaticToken } from './static-token.ts';
import type { TokenIssuer } from './token-issuer.ts';
import { NONE, refusedVerdict, type Verdict } from './verdict.ts';

export interface AuthenticatorOptions {
  /** The cluster of the API. Credentials of other clusters are not valid here. */
  readonly cluster: string;
  /** The certificate of the authority for client certificates, in PEM. */
  readonly authority: string;
  readonly issuer: TokenIssuer;
  readonly objects: LiveObjects;
  readonly clock: Clock;
  readonly staticTokens?: readonly StaticToken[];
}

export type Authentication = { readonly user: UserInfo } | { readonly refused: ApiError };

/** Authenticates the requests to one cluster. */
export interface Authenticator {
  readonly issuer: TokenIssuer;
  authenticate(facts: RequestFacts): Authentication;
  /** The user of a token, if the token is for one of the audiences. */
  checkToken(token: string, audiences?: readonly string[]): Verdict;
}

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/**
 * Paths of the control plane that need no authentication; authorization still depends on the roles. Members answer
 * no anonymous request, since a response would reveal that the member exists.
 */
const ANONYMOUS_PATHS: readonly string[] = ['/healthz', '/livez', '/readyz', '/version'];

/** Message for a token that no authenticator accepts. */
export const INVALID_TOKEN = 'invalid bearer token';

const withAuthenticated = (user: UserInfo): UserInfo => {
  const { groups = [] } = user;
  const isStated = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return isStated ? user : { ...user, groups: [...groups, AUTHENTICATED] };
};

const BEARER = /^bearer ([^ ]+)/i;

const bearerOf = ({ authorization = '' }: RequestFacts): string | undefined =>
  BEARER.exec(authorization.trim())?.[1];

/** The first authenticator that accepts the credential decides; else the first that refused it. */
const firstOf = (checks: readonly (() => Verdict)[]): Verdict => {
  let refusal = NONE;
  for (const check of checks) {
    const verdict = check();
    if (verdict.kind === 'known') return { ...verdict, user: withAuthenticated(verdict.user) };
    if (refusal.kind === 'none') refusal = verdict;
  }
  return refusal;
};

export const createAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const { cluster, issuer, objects, clock, staticTokens = [] } = options;
  // Parsed on first use: there are many clusters, and parsing takes as long as a request.
  let authority: X509Certificate | undefined;
  /** Static tokens have no audiences: they are for the API. */
  const checkStatic = (token: string, requestedAudiences: readonly string[]): Verdict => {
    const audiences = sharedAudiences(issuer.audiences, requestedAudiences);
    const verdict = checkStaticToken(staticTokens, cluster, token);
    if (audiences.length === 0 || verdict.kind !== 'known') return NONE;
    return { ...verdict, audiences };
  };
  const checkToken = (token: string, audiences = issuer.audiences): Verdict => {
    const check = { issuer, objects, now: clock.now(), audiences };
    const verdict = firstOf([
      () => checkStatic(token, audiences),
      () => checkLegacyToken(check, token),
      () => checkBoundToken(check, token),
    ]);
    return verdict.kind === 'none' ? refusedVerdict(INVALID_TOKEN) : verdict;
  };
  const verdictOf = (facts: RequestFacts): Verdict =>
    firstOf([
      () => {
        authority ??= new X509Certificate(options.authority);
        return checkCertificate(facts.certificate, { authority, cluster, now: clock.now() });
      },
      () => {
        const token = bearerOf(facts);
        return token === undefined ? NONE : checkToken(token);
      },
    ]);
  return {
    issuer,
    checkToken,
    authenticate: (facts) => {
      const verdict = verdictOf(facts);
      if (verdict.kind === 'known') return { user: verdict.user };
      const isOpen =
        cluster === ROOT_CLUSTER && verdict.kind === 'none' && ANONYMOUS_PATHS.includes(facts.path);
      return isOpen ? { user: ANONYMOUS } : { refused: unauthorized() };
    },
  };
};
