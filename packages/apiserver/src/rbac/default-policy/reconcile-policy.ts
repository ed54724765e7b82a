import type { ObjectMeta, WrittenMeta } from '@perigee/api/meta/object-meta';
import type {
  AggregationRule,
  ClusterRole,
  ClusterRoleWritten,
} from '@perigee/kubernetes/rbac/cluster-role';
import type { RoleBinding, RoleBindingWritten } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { toPolicyRule, uncoveredRules } from '../cover-rules.ts';
import { AUTO_UPDATE } from './policy-set.ts';

type Texts = { readonly [key: string]: string };

const same = (a: unknown, b: unknown): boolean => sameJson(a as JsonValue, b as JsonValue);

/** Entries that are desired and absent; live values win. */
const mergeTexts = (desiredTexts: Texts | undefined, live: Texts | undefined) =>
  desiredTexts === undefined ? live : { ...desiredTexts, ...live };

const mergeMeta = (live: ObjectMeta, desiredMeta: WrittenMeta): ObjectMeta => {
  const labels = mergeTexts(desiredMeta.labels, live.labels);
  const annotations = mergeTexts(desiredMeta.annotations, live.annotations);
  return {
    ...live,
    ...present({ labels, annotations }),
  };
};

/** The author of this annotation maintains the object. */
const isProtected = ({ annotations = {} }: ObjectMeta): boolean =>
  annotations[AUTO_UPDATE] === 'false';

const mergeAggregation = (
  live: AggregationRule | undefined,
  desiredRule: AggregationRule | undefined,
): AggregationRule | undefined => {
  const selectors = live?.clusterRoleSelectors ?? [];
  const missingSelectors = (desiredRule?.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((other) => same(other, selector)),
  );
  if (desiredRule === undefined || missingSelectors.length === 0) return desiredRule && live;
  return { clusterRoleSelectors: [...selectors, ...missingSelectors] };
};

/** The object if something in it has to change. */
const ifChanged = <T extends { readonly metadata: ObjectMeta }>(live: T, next: T): T | undefined =>
  same(live as unknown as JsonObject, next as unknown as JsonObject) ? undefined : next;

/** The update that makes a role grant at least the desired rules. Rules that others added stay. */
export const reconcileRole = (
  live: ClusterRole,
  desiredRole: ClusterRoleWritten,
): ClusterRole | undefined => {
  if (isProtected(live.metadata)) return undefined;
  const { aggregationRule: before, ...rest } = live;
  const aggregationRule = mergeAggregation(before, desiredRole.aggregationRule);
  const missingRules = uncoveredRules(live.rules ?? [], desiredRole.rules ?? []).map(toPolicyRule);
  return ifChanged(live, {
    ...rest,
    metadata: mergeMeta(live.metadata, desiredRole.metadata),
    ...present({
      rules: missingRules.length > 0 ? [...(live.rules ?? []), ...missingRules] : undefined,
      aggregationRule,
    }),
  });
};

/** The update of a binding; it is recreated if it refers to another role, since a role reference is immutable. */
export const reconcileBinding = (
  live: RoleBinding,
  desiredBinding: RoleBindingWritten,
): { readonly update: RoleBinding } | { readonly recreate: RoleBindingWritten } | undefined => {
  if (isProtected(live.metadata)) return undefined;
  if (!same(live.roleRef, desiredBinding.roleRef)) return { recreate: desiredBinding };
  const subjects = live.subjects ?? [];
  const missingSubjects = (desiredBinding.subjects ?? []).filter(
    (subject) => !subjects.some((other) => same(other, subject)),
  );
  const update = ifChanged(live, {
    ...live,
    metadata: mergeMeta(live.metadata, desiredBinding.metadata),
    ...(missingSubjects.length === 0 ? {} : { subjects: [...subjects, ...missingSubjects] }),
  });
  return update && { update };
};
