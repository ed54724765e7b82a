import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { AccessControl } from '../rbac/access-control.ts';
import { forbiddenRequest } from '../rbac/forbidden-request.ts';
import { requestAttributes } from '../rbac/request-attributes.ts';
import type { Authenticator } from './authenticate.ts';
import { impersonate } from './impersonate.ts';
import { wantedUser } from './impersonation-headers.ts';
import type { RequestFacts } from './request-facts.ts';

/** Permissions of all users in one cluster. */
interface AccessRules {
  readonly authenticator: Authenticator;
  readonly control: Pick<AccessControl, 'authorize'>;
}

/**
 * Authenticates a request, with impersonation, and without authorization. Throws an `ApiError`: 401 if the user is
 * unknown, 403 if the user may not impersonate.
 */
export const userFor = ({ authenticator, control }: AccessRules, facts: RequestFacts): UserInfo => {
  const authentication = authenticator.authenticate(facts);
  if ('refused' in authentication) throw authentication.refused;
  facts.audit?.isFrom(authentication.user);
  const impersonatedUser = wantedUser(facts);
  if (impersonatedUser === undefined) return authentication.user;
  const authorize = control.authorize.bind(control);
  const user = impersonate(
    authorize,
    impersonatedUser,
    requestAttributes(authentication.user, facts),
  );
  facts.audit?.actsAs(user);
  return user;
};

/** Authenticates and authorizes a request: throws 403 if the user is not allowed. */
export const accessAs = (
  control: AccessRules['control'],
  user: UserInfo,
  facts: RequestFacts,
): UserInfo => {
  const attributes = requestAttributes(user, facts);
  const { decision, reason } = control.authorize(attributes);
  facts.audit?.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  facts.audit?.annotate('authorization.k8s.io/reason', reason);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
  return user;
};

/** The same for a request that is not authenticated yet. */
export const accessFor = (rules: AccessRules, facts: RequestFacts): UserInfo =>
  accessAs(rules.control, userFor(rules, facts), facts);
