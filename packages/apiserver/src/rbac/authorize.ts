import {
  type Attributes,
  isMaster,
  type UserInfo,
} from '@perigee/kubernetes/authorization/attributes';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { RoleBinding, RoleRef } from '@perigee/kubernetes/rbac/role-binding';
import { goQuote } from '@perigee/schema/go-text';
import { ruleAllows } from './rule-allows.ts';
import { keysOfUser, subjectKey } from './subject-key.ts';

/** Source of the rules. */
export interface Policy {
  /** The bindings that name the user: those of the whole cluster, then those of the namespace. */
  bindingsOf(user: UserInfo, namespace: string): readonly RoleBinding[];
  /** The rules of a role, found in the namespace of its binding; undefined when there is no such role. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

export interface Decision {
  /** RBAC only allows. No opinion is a denial, unless another authorizer allows. */
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
}

/** The rules that hold for a user, and the roles that they should have and that do not exist. */
export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  readonly missingRoles: readonly RoleRef[];
}

const namespaceOf = ({ metadata }: RoleBinding): string => metadata.namespace ?? '';

const describeBinding = (binding: RoleBinding, user: UserInfo): string => {
  const { metadata, roleRef, subjects } = binding;
  const namespace = namespaceOf(binding);
  const keys = keysOfUser(user);
  const subject = subjects?.find((one) => keys.includes(subjectKey(one, namespace) ?? ''));
  const { kind = '', name = '' } = subject ?? {};
  const who = kind === 'ServiceAccount' ? `${name}/${subject?.namespace || namespace}` : name;
  const [type, called] =
    namespace === ''
      ? ['ClusterRoleBinding', metadata.name]
      : ['RoleBinding', `${metadata.name}/${namespace}`];
  return `${type} ${goQuote(called)} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${kind} ${goQuote(who)}`;
};

/** Several problems as Kubernetes writes them in one line. */
export const joinProblems = (problems: readonly string[]): string => {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? unique.join() : `[${unique.join(', ')}]`;
};

const notFoundText = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(name)} not found`;

/** The problems with roles that do not exist, in the words of an authorizer. */
export const missingText = (missing: readonly RoleRef[]): string =>
  joinProblems(missing.map(notFoundText));

/** Decides about a request. Costs as much as the user has bindings, not as many as there are. */
export const authorize = (policy: Policy, attributes: Attributes): Decision => {
  const { user } = attributes;
  if (isMaster(user)) return { decision: 'allow', reason: '' };
  const namespace = 'path' in attributes ? '' : attributes.namespace;
  const missingRoles: RoleRef[] = [];
  for (const binding of policy.bindingsOf(user, namespace)) {
    const rules = policy.rulesOf(binding.roleRef, namespaceOf(binding));
    if (rules === undefined) missingRoles.push(binding.roleRef);
    else if (rules.some((rule) => ruleAllows(rule, attributes))) {
      return {
        decision: 'allow',
        reason: `RBAC: allowed by ${describeBinding(binding, user)}`,
      };
    }
  }
  const reason = missingRoles.length === 0 ? '' : `RBAC: ${missingText(missingRoles)}`;
  return { decision: 'no-opinion', reason };
};

/** All rules that hold for a user in a namespace; in the whole cluster when it is empty. */
export const heldRules = (policy: Policy, user: UserInfo, namespace: string): HeldRules => {
  const rules: PolicyRule[] = [];
  const missingRoles: RoleRef[] = [];
  for (const binding of policy.bindingsOf(user, namespace)) {
    const roleRules = policy.rulesOf(binding.roleRef, namespaceOf(binding));
    if (roleRules === undefined) missingRoles.push(binding.roleRef);
    else rules.push(...roleRules);
  }
  return { rules, missingRoles };
};
