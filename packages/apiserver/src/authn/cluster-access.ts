import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { goQuote } from '@perigee/schema/go-text';
import type { Access, TokenOwner } from '../access/access.ts';
import type { IssuedToken, TokenOrder } from '../access/token-order.ts';
import type { Pki } from '../pki/pki.ts';
import { AccessControl } from '../rbac/access-control.ts';
import type { Registry } from '../registry/registry.ts';
import { refusal } from '../status/refusal.ts';
import { accessAs, accessFor, userFor } from './access-for.ts';
import {
  type Authenticator,
  type AuthenticatorOptions,
  createAuthenticator,
  INVALID_TOKEN,
} from './authenticate.ts';
import { issueToken } from './issue-token.ts';
import { liveObjects } from './live-objects.ts';
import type { RequestFacts } from './request-facts.ts';
import type { StaticToken } from './static-token.ts';
import { issuerUrl, type TokenIssuer, tokenIssuer } from './token-issuer.ts';
import { tokenSecretController } from './token-secret-controller.ts';

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
const refuseAbsent = (
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

export interface ClusterAccessOptions {
  readonly registry: Pick<Registry, 'store' | 'cluster' | 'clock'>;
  readonly pki: Pick<Pki, 'authority' | 'serviceAccountKey'>;
  readonly staticTokens?: readonly StaticToken[];
}

/** Authentication and authorization of one cluster. */
export interface ClusterAccess {
  readonly authenticator: Authenticator;
  readonly control: AccessControl;
  /** Dependencies of the review kinds and of the tokens of service accounts. */
  readonly reviews: Omit<Access, 'issueToken'> & {
    issueToken(order: TokenOrder): IssuedToken;
  };
  /** Controllers that need the keys of the cluster, as in kube-controller-manager. */
  readonly controllers: readonly ControllerDefinition[];
  /** Authenticates and authorizes a request; throws an `ApiError` to refuse it. */
  letIn(facts: RequestFacts): UserInfo;
  /** The same for an authenticated user. */
  letInAs(user: UserInfo, facts: RequestFacts): UserInfo;
  /** The same without authorization. */
  identify(facts: RequestFacts): UserInfo;
  /** Refuses a request to a cluster that is not there. */
  refuse(absent: string, facts: RequestFacts): never;
}

const ownerOf = (
  authenticator: Authenticator,
  token: string,
  audiences: readonly string[],
): TokenOwner => {
  const requestedAudiences = audiences.length === 0 ? authenticator.issuer.audiences : audiences;
  const verdict = authenticator.checkToken(token, requestedAudiences);
  if (verdict.kind === 'known') return verdict;
  // Kubernetes reports both: that the token is unknown, and the errors of authenticators that could parse it.
  const problem = verdict.kind === 'refused' ? verdict.why : INVALID_TOKEN;
  return { problem: problem === INVALID_TOKEN ? problem : `[${INVALID_TOKEN}, ${problem}]` };
};

export const openClusterAccess = (options: ClusterAccessOptions): ClusterAccess => {
  const { registry, pki, staticTokens = [] } = options;
  const { clock, cluster } = registry;
  const issuer = tokenIssuer(cluster, pki.serviceAccountKey(cluster));
  const objects = liveObjects(registry);
  const authenticatorOptions = { authority: pki.authority, issuer, clock, staticTokens };
  const authenticator = createAuthenticator({ ...authenticatorOptions, cluster, objects });
  const control = new AccessControl(registry);
  return {
    authenticator,
    control,
    reviews: {
      allowed: (attributes) => control.allowed(attributes),
      rulesFor: (user, namespace) => control.rulesFor(user, namespace),
      ownerOf: (token, audiences) => ownerOf(authenticator, token, audiences),
      issueToken: (order) => issueToken({ issuer, objects, clock }, order),
    },
    controllers: [tokenSecretController({ issuer, authority: pki.authority })],
    letIn: (facts) => accessFor({ authenticator, control }, facts),
    letInAs: (user, facts) => accessAs(control, user, facts),
    identify: (facts) => userFor({ authenticator, control }, facts),
    refuse: (absent, facts) => refuseAbsent(absent, authenticatorOptions, facts),
  };
};
