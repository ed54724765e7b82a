import type { ApiError } from '@perigee/kube/errors';
import { isMaster, type UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { type AggregationRule, ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import { type PolicyRule, Role } from '@perigee/kubernetes/rbac/role';
import type { RoleRef } from '@perigee/kubernetes/rbac/role-binding';
import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { forbidden, notFound } from '../status/object-refusals.ts';
import { authorize, heldRules, joinProblems, type Policy } from './authorize.ts';
import { uncoveredRules } from './cover-rules.ts';
import { describeRules, quoteList } from './describe-rules.ts';

/** A write of a role or a binding. */
export interface PolicyWrite {
  readonly user: UserInfo;
  readonly plural: string;
  /** The name in the path of the request: empty for a POST. */
  readonly requestName: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  readonly object: JsonObject;
  /** The object before the update. */
  readonly old?: JsonObject;
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Fields that the garbage collector changes when an object is deleted, which grants no permissions. */
const COLLECTED = { ownerReferences: undefined, finalizers: undefined, managedFields: undefined };

const isOnlyCollected = (object: JsonObject, old: JsonObject | undefined): boolean => {
  if (old === undefined) return false;
  const rest = ({ metadata, ...others }: JsonObject): JsonObject => ({
    ...others,
    metadata: { ...(metadata as JsonObject | undefined), ...COLLECTED },
  });
  return sameJson(rest(object), rest(old));
};

const NO_ROLE: RoleRef = { apiGroup: '', kind: '', name: '' };

const nameOf = ({ metadata }: JsonObject): string =>
  ((metadata as JsonObject | undefined)?.name as string | undefined) ?? '';

const pluralOf = ({ kind }: RoleRef): string =>
  kind === 'ClusterRole' ? ClusterRole.plural : Role.plural;

const refuse = ({ plural, object }: PolicyWrite, why: string): ApiError =>
  forbidden({ group: RBAC_GROUP, plural }, nameOf(object), why);

/**
 * Why the user may not give these rules to others; undefined when they hold all of them. Like
 * Kubernetes, it calls a role that is missing by the resource of the request.
 */
const escalation = (
  policy: Policy,
  { user, namespace, plural }: PolicyWrite,
  rules: readonly PolicyRule[],
): string | undefined => {
  const userRules = heldRules(policy, user, namespace);
  const lacking = uncoveredRules(userRules.rules, rules);
  if (lacking.length === 0) return undefined;
  const problems = userRules.missingRoles.map(
    ({ name }) => `${plural}.${RBAC_GROUP} ${goQuote(name)} not found`,
  );
  const notFoundText =
    problems.length === 0 ? '' : `; resolution errors: [${joinProblems(problems)}]`;
  return `user ${goQuote(user.name)} (groups=${quoteList(user.groups ?? [])}) is attempting to grant RBAC permissions not currently held:\n${describeRules(lacking)}${notFoundText}`;
};

const may = (
  policy: Policy,
  verb: string,
  { user, namespace }: PolicyWrite,
  resource: string,
  name: string,
): boolean => {
  const attributes = { user, verb, apiGroup: RBAC_GROUP, apiVersion: '*', resource, namespace };
  return authorize(policy, { ...attributes, subresource: '', name }).decision === 'allow';
};

const aggregates = (object: JsonObject | undefined): boolean => {
  const rule = object?.aggregationRule as AggregationRule | undefined;
  return (rule?.clusterRoleSelectors ?? []).length > 0;
};

const checkRole = (policy: Policy, write: PolicyWrite): void => {
  const { object, old, plural, requestName } = write;
  if (may(policy, 'escalate', write, plural, requestName) || isOnlyCollected(object, old)) return;
  const rules = (object.rules ?? []) as readonly PolicyRule[];
  const why = escalation(policy, write, rules);
  if (why !== undefined) throw refuse(write, why);
  const gathers = plural === ClusterRole.plural && (aggregates(object) || aggregates(old));
  if (gathers && escalation(policy, write, EVERYTHING) !== undefined) {
    throw refuse(write, 'must have cluster-admin privileges to use the aggregationRule');
  }
};

const checkBinding = (policy: Policy, write: PolicyWrite): void => {
  const { object, old, namespace, plural } = write;
  if (isOnlyCollected(object, old)) return;
  const ref = { ...NO_ROLE, ...(object.roleRef as Partial<RoleRef> | undefined) };
  if (may(policy, 'bind', write, pluralOf(ref), ref.name)) return;
  const rules = policy.rulesOf(ref, namespace);
  if (rules === undefined) throw notFound({ group: RBAC_GROUP, plural }, ref.name);
  const why = escalation(policy, write, rules);
  if (why !== undefined) throw refuse(write, why);
};

const CHECKS: { readonly [plural: string]: (policy: Policy, write: PolicyWrite) => void } = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

/**
 * Refuses a write of a role or a binding by which the user would give more rights than they have, unless
 * they may `escalate` the role or `bind` what the binding refers to. Other resources pass.
 */
export const refuseEscalation = (policy: Policy, write: PolicyWrite): void => {
  if (!isMaster(write.user)) CHECKS[write.plural]?.(policy, write);
};
