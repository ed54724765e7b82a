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
const mergeTexts = (wanted: Texts | undefined, present: Texts | undefined) =>
  wanted === undefined ? present : { ...wanted, ...present };

const mergeMeta = (present: ObjectMeta, wanted: WrittenMeta): ObjectMeta => {
  const labels = mergeTexts(wanted.labels, present.labels);
  const annotations = mergeTexts(wanted.annotations, present.annotations);
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
  wanted: AggregationRule | undefined,
): AggregationRule | undefined => {
  const selectors = present?.clusterRoleSelectors ?? [];
  const missing = (wanted?.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((other) => same(other, selector)),
  );
  if (wanted === undefined || missing.length === 0) return wanted && present;
  return { clusterRoleSelectors: [...selectors, ...missing] };
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
  wanted: ClusterRoleWritten,
): ClusterRole | undefined => {
  if (isProtected(present.metadata)) return undefined;
  const { aggregationRule: before, ...rest } = present;
  const aggregationRule = mergeAggregation(before, wanted.aggregationRule);
  const missing = uncoveredRules(present.rules ?? [], wanted.rules ?? []).map(toPolicyRule);
  return ifChanged(present, {
    ...rest,
    metadata: mergeMeta(present.metadata, wanted.metadata),
    ...(missing.length === 0 ? {} : { rules: [...(present.rules ?? []), ...missing] }),
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
  });
};

/** The update of a binding; it is recreated if it refers to another role, since a role reference is immutable. */
export const reconcileBinding = (
  present: RoleBinding,
  wanted: RoleBindingWritten,
): { readonly update: RoleBinding } | { readonly recreate: RoleBindingWritten } | undefined => {
  if (isProtected(present.metadata)) return undefined;
  if (!same(present.roleRef, wanted.roleRef)) return { recreate: wanted };
  const subjects = present.subjects ?? [];
  const missing = (wanted.subjects ?? []).filter(
    (subject) => !subjects.some((other) => same(other, subject)),
  );
  const update = ifChanged(present, {
    ...present,
    metadata: mergeMeta(present.metadata, wanted.metadata),
    ...(missing.length === 0 ? {} : { subjects: [...subjects, ...missing] }),
  });
  return update && { update };
};
