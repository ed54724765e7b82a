import type { AccessControl } from '../rbac/access-control.ts';
import type { UserInfo } from '../rbac/attributes.ts';
import { forbiddenRequest } from '../rbac/forbidden-request.ts';
import { requestAttributes } from '../rbac/request-attributes.ts';
import type { Authenticator } from './authenticate.ts';
import { impersonate } from './impersonate.ts';
import { wantedUser } from './impersonation-headers.ts';
import type { RequestFacts } from './request-facts.ts';

/** Who may do what in one cluster. */
interface AccessRules {
  readonly authenticator: Authenticator;
  readonly control: Pick<AccessControl, 'authorize'>;
}

/**
 * The user as whom a request is to be done. Throws an `ApiError`: 401 when nobody knows who sent it, 403
 * when they may not do it, or not as somebody else.
 */
export const accessFor = (
  { authenticator, control }: AccessRules,
  facts: RequestFacts,
): UserInfo => {
  const found = authenticator.authenticate(facts);
  if ('refused' in found) throw found.refused;
  facts.audit?.isFrom(found.user);
  const authorize = control.authorize.bind(control);
  const wanted = wantedUser(facts);
  const user =
    wanted === undefined
      ? found.user
      : impersonate(authorize, wanted, requestAttributes(found.user, facts));
  if (wanted !== undefined) facts.audit?.actsAs(user);
  const attributes = requestAttributes(user, facts);
  const { decision, reason } = authorize(attributes);
  facts.audit?.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  facts.audit?.annotate('authorization.k8s.io/reason', reason);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
  return user;
};
