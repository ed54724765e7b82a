import type { ObjectMeta, WrittenMeta } from '@perigee/api/meta/object-meta';
import type {
  AggregationRule,
  ClusterRole,
  ClusterRoleWritten,
} from '@perigee/kubernetes/rbac/cluster-role';
import type { RoleBinding, RoleBindingWritten } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { toPolicyRule, uncoveredRules } from '../cover-rules.ts';
import { AUTO_UPDATE } from './policy-set.ts';

type Texts = { readonly [key: string]: string };

const same = (a: unknown, b: unknown): boolean => sameJson(a as JsonValue, b as JsonValue);

/** Entries that are desired and absent; present values win. */
const mergeTexts = (desiredTexts: Texts | undefined, present: Texts | undefined) =>
  desiredTexts === undefined ? present : { ...desiredTexts, ...present };

const mergeMeta = (present: ObjectMeta, desiredMeta: WrittenMeta): ObjectMeta => {
  const labels = mergeTexts(desiredMeta.labels, present.labels);
  const annotations = mergeTexts(desiredMeta.annotations, present.annotations);
  return {
    ...present,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
};

/** Whoever sets this annotation wants to look after the object themselves. */
const isProtected = ({ annotations = {} }: ObjectMeta): boolean =>
  annotations[AUTO_UPDATE] === 'false';

const mergeAggregation = (
  present: AggregationRule | undefined,
  desiredRule: AggregationRule | undefined,
): AggregationRule | undefined => {
  const selectors = present?.clusterRoleSelectors ?? [];
  const missingSelectors = (desiredRule?.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((other) => same(other, selector)),
  );
  if (desiredRule === undefined || missingSelectors.length === 0) return desiredRule && present;
  return { clusterRoleSelectors: [...selectors, ...missingSelectors] };
};

/** The object if something in it has to change. */
const ifChanged = <T extends { readonly metadata: ObjectMeta }>(
  present: T,
  next: T,
): T | undefined =>
  same(present as unknown as JsonObject, next as unknown as JsonObject) ? undefined : next;

/** The update that makes a role grant at least the desired rules. Rules that others added stay. */
export const reconcileRole = (
  present: ClusterRole,
  desiredRole: ClusterRoleWritten,
): ClusterRole | undefined => {
  if (isProtected(present.metadata)) return undefined;
  const { aggregationRule: before, ...rest } = present;
  const aggregationRule = mergeAggregation(before, desiredRole.aggregationRule);
  const missingRules = uncoveredRules(present.rules ?? [], desiredRole.rules ?? []).map(
    toPolicyRule,
  );
  return ifChanged(present, {
    ...rest,
    metadata: mergeMeta(present.metadata, desiredRole.metadata),
    ...(missingRules.length === 0 ? {} : { rules: [...(present.rules ?? []), ...missingRules] }),
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
  });
};

/** The update of a binding; it is recreated if it refers to another role, since a role reference is immutable. */
export const reconcileBinding = (
  present: RoleBinding,
  desiredBinding: RoleBindingWritten,
): { readonly update: RoleBinding } | { readonly recreate: RoleBindingWritten } | undefined => {
  if (isProtected(present.metadata)) return undefined;
  if (!same(present.roleRef, desiredBinding.roleRef)) return { recreate: desiredBinding };
  const subjects = present.subjects ?? [];
  const missingSubjects = (desiredBinding.subjects ?? []).filter(
    (subject) => !subjects.some((other) => same(other, subject)),
  );
  const update = ifChanged(present, {
    ...present,
    metadata: mergeMeta(present.metadata, desiredBinding.metadata),
    ...(missingSubjects.length === 0 ? {} : { subjects: [...subjects, ...missingSubjects] }),
  });
  return update && { update };
};
