import { ApiError } from '@perigee/kube/errors';
import {
  type Attributes,
  MASTERS,
  type ResourceAttributes,
  type UserInfo,
} from '@perigee/kubernetes/authorization/attributes';
import { goQuote } from '@perigee/schema/go-text';
import { present, unlessEmpty } from '@perigee/schema/present';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import { type Decision, joinProblems } from '../rbac/authorize.ts';
import { forbiddenRequest } from '../rbac/forbidden-request.ts';
import type { WantedUser } from './impersonation-headers.ts';
import {
  ASSOCIATED_NODE,
  IMPERSONATION_MODES,
  type ImpersonationMode,
  nodeOf,
} from './impersonation-modes.ts';
import {
  AUTHENTICATED,
  serviceAccountGroups,
  splitServiceAccountUsername,
  UNAUTHENTICATED,
} from './service-account-user.ts';

/** Decides on a request of a user. */
export type Authorize = (attributes: Attributes) => Decision;

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const ANONYMOUS = 'system:anonymous';
const NODES = 'system:nodes';

const demand = (authorize: Authorize, attributes: Attributes): void => {
  const { decision, reason } = authorize(attributes);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
};

/** The permission to impersonate a user, group, uid or extra. */
const rightTo = (
  requestor: UserInfo,
  { name: mode }: ImpersonationMode,
  resource: string,
  name: string,
): ResourceAttributes => ({
  user: requestor,
  verb: mode === '' ? 'impersonate' : `impersonate:${mode}`,
  apiGroup:
    mode === '' && ['users', 'groups', 'serviceaccounts'].includes(resource)
      ? ''
      : AUTHENTICATION_GROUP,
  apiVersion: 'v1',
  resource,
  subresource: '',
  name,
  namespace: '',
});

/** The impersonated user, with the groups that its name implies. */
const subjectOf = (
  requestor: UserInfo,
  mode: ImpersonationMode,
  { name, groups }: WantedUser,
): { readonly right: ResourceAttributes; readonly groups: readonly string[] } => {
  const node = mode.name === '' ? undefined : nodeOf(name);
  if (node !== undefined) {
    // The permission for the associated node has no node name.
    const nodeName = mode.name === ASSOCIATED_NODE ? '*' : node;
    return { right: rightTo(requestor, mode, 'nodes', nodeName), groups: [NODES] };
  }
  const account = splitServiceAccountUsername(name);
  if (account === undefined) return { right: rightTo(requestor, mode, 'users', name), groups };
  const right = rightTo(requestor, mode, 'serviceaccounts', account.name);
  return {
    right: { ...right, namespace: account.namespace },
    groups: groups.length === 0 ? serviceAccountGroups(account.namespace) : groups,
  };
};

/** Reason why a constrained mode refuses a group, despite the roles. */
const groupProblem = (group: string): string | undefined => {
  if (group === '') return 'impersonating the empty string group is not allowed';
  return group === MASTERS ? 'impersonating the system:masters group is not allowed' : undefined;
};

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH_FORM = new RegExp(`^${PATH}$`);

/** The problem of an extra's key that is no domain name with a path. */
const keyProblem = (key: string): string | undefined => {
  const at = key.indexOf('/');
  const [domain, path] = [key.slice(0, Math.max(0, at)), key.slice(at + 1)];
  const wrong = (value: string, why: string) =>
    `extra.key: Invalid value: ${goQuote(value)}: ${why}`;
  if (domain === '' || path === '') {
    return wrong(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const problems = checkDnsSubdomain(domain).map((why) => wrong(domain, why));
  if (!PATH_FORM.test(path)) {
    problems.push(wrong(path, `Invalid path (regex used for validation is '${PATH}')`));
  }
  return problems.length === 0 ? undefined : joinProblems(problems);
};

const extraProblem = (key: string, values: readonly string[]): string | undefined => {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const problem = keyProblem(key);
  if (problem !== undefined) {
    return `impersonating an invalid key in extra is not allowed: ${problem}`;
  }
  return values.includes('')
    ? 'impersonating the empty string value in extra is not allowed'
    : undefined;
};

const withImpliedGroup = (name: string, groups: readonly string[]): readonly string[] => {
  if (name !== ANONYMOUS && groups.includes(UNAUTHENTICATED)) return groups;
  const impliedGroup = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  return groups.includes(impliedGroup) ? groups : [...groups, impliedGroup];
};

/** Throws unless the roles allow it in this mode. */
const impersonateBy = (
  authorize: Authorize,
  mode: ImpersonationMode,
  impersonatedUser: WantedUser,
  attempt: Attributes,
): UserInfo => {
  const { user: requestor } = attempt;
  if (mode.name !== '') {
    demand(authorize, { ...attempt, verb: `impersonate-on:${mode.name}:${attempt.verb}` });
  }
  const subject = subjectOf(requestor, mode, impersonatedUser);
  demand(authorize, subject.right);
  if (impersonatedUser.uid !== '')
    demand(authorize, rightTo(requestor, mode, 'uids', impersonatedUser.uid));
  const refuse = (right: ResourceAttributes, problem: string | undefined): void => {
    if (mode.name !== '' && problem !== undefined) throw forbiddenRequest(right, problem);
  };
  for (const group of impersonatedUser.groups) {
    refuse(rightTo(requestor, mode, 'groups', group), groupProblem(group));
  }
  for (const group of impersonatedUser.groups)
    demand(authorize, rightTo(requestor, mode, 'groups', group));
  const extras = Object.entries(impersonatedUser.extra);
  for (const [key, values] of extras) {
    refuse(rightTo(requestor, mode, 'userextras', ''), extraProblem(key, values));
  }
  for (const [key, values] of extras) {
    for (const value of values) {
      const right = rightTo(requestor, mode, 'userextras', value);
      demand(authorize, { ...right, subresource: key });
    }
  }
  return {
    name: impersonatedUser.name,
    groups: withImpliedGroup(impersonatedUser.name, subject.groups),
    ...present({
      uid: unlessEmpty(impersonatedUser.uid),
      extra: extras.length > 0 ? impersonatedUser.extra : undefined,
    }),
  };
};

/**
 * The impersonated user, if the roles of the requestor allow that in any mode. Else throws the refusal of the first
 * mode that is for such a user, as Kubernetes does.
 */
export const impersonate = (
  authorize: Authorize,
  impersonatedUser: WantedUser,
  attempt: Attributes,
): UserInfo => {
  let refusal: ApiError | undefined;
  for (const mode of IMPERSONATION_MODES.filter((one) =>
    one.fits(impersonatedUser, attempt.user),
  )) {
    try {
      return impersonateBy(authorize, mode, impersonatedUser, attempt);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? forbiddenRequest(attempt, 'nobody can be impersonated');
};
