import type { Pki } from '../pki/pki.ts';
import { AccessControl } from '../rbac/access-control.ts';
import type { UserInfo } from '../rbac/attributes.ts';
import type { Registry } from '../registry/registry.ts';
import { accessFor } from './access-for.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import { type IssuedToken, issueToken, type TokenOrder } from './issue-token.ts';
import { liveObjects } from './live-objects.ts';
import type { RequestFacts } from './request-facts.ts';
import type { StaticToken } from './static-token.ts';
import { tokenIssuer } from './token-issuer.ts';

export interface ClusterAccessOptions {
  readonly registry: Pick<Registry, 'store' | 'cluster' | 'clock'>;
  readonly pki: Pick<Pki, 'authority' | 'serviceAccountKey'>;
  readonly staticTokens?: readonly StaticToken[];
}

/** Who is who in one cluster, and who may do what. */
export interface ClusterAccess {
  readonly authenticator: Authenticator;
  readonly control: AccessControl;
  issueToken(order: TokenOrder): IssuedToken;
  /** The user as whom a request is to be done; throws an `ApiError` when it is not to be done. */
  letIn(facts: RequestFacts): UserInfo;
}

export const openClusterAccess = (options: ClusterAccessOptions): ClusterAccess => {
  const { registry, pki, staticTokens = [] } = options;
  const { clock, cluster } = registry;
  const issuer = tokenIssuer(cluster, pki.serviceAccountKey(cluster));
  const objects = liveObjects(registry);
  const authenticator = createAuthenticator({
    cluster,
    authority: pki.authority,
    issuer,
    objects,
    clock,
    staticTokens,
  });
  const control = new AccessControl(registry);
  return {
    authenticator,
    control,
    issueToken: (order) => issueToken({ issuer, objects, clock }, order),
    letIn: (facts) => accessFor({ authenticator, control }, facts),
  };
};
