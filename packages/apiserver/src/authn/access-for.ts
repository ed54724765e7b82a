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
 * The user as whom a request is to be done, whatever it is. Throws an `ApiError`: 401 when nobody knows who
 * sent it, 403 when they may not do it as somebody else.
 */
export const userFor = ({ authenticator, control }: AccessRules, facts: RequestFacts): UserInfo => {
  const found = authenticator.authenticate(facts);
  if ('refused' in found) throw found.refused;
  facts.audit?.isFrom(found.user);
  const wanted = wantedUser(facts);
  if (wanted === undefined) return found.user;
  const authorize = control.authorize.bind(control);
  const user = impersonate(authorize, wanted, requestAttributes(found.user, facts));
  facts.audit?.actsAs(user);
  return user;
};

/** The user of a request that they have to be allowed to do: throws 403 when they are not. */
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

/** The same of a request of which is not known yet who sent it. */
export const accessFor = (rules: AccessRules, facts: RequestFacts): UserInfo =>
  accessAs(rules.control, userFor(rules, facts), facts);
