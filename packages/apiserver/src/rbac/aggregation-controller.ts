import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { labelSelectorOf, matchesLabels } from '@perigee/api/values/label-selector';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';

const AGGREGATED = 'roles that gather the rules of others';

const same = (a: unknown, b: unknown): boolean => sameJson(a as JsonValue, b as JsonValue);

const byName = (a: ClusterRole, b: ClusterRole): number =>
  a.metadata.name < b.metadata.name ? -1 : 1;

/** Key that is equal for equal rules. */
const likenessOf = (rule: PolicyRule): string =>
  JSON.stringify([
    rule.verbs ?? [],
    rule.apiGroups ?? [],
    rule.resources ?? [],
    rule.resourceNames ?? [],
    rule.nonResourceURLs ?? [],
  ]);

/** The rules of all roles that the role selects: selector after selector, by name, each rule once. */
const aggregatedRules = (
  role: ClusterRole,
  roles: readonly ClusterRole[],
): readonly PolicyRule[] => {
  const others = roles.filter(({ metadata }) => metadata.name !== role.metadata.name).sort(byName);
  const rules = (role.aggregationRule?.clusterRoleSelectors ?? []).flatMap((spec) => {
    const selector = labelSelectorOf(spec);
    const selectedRoles = others.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
    return selectedRoles.flatMap((other) => other.rules ?? []);
  });
  return [...new Map(rules.map((rule) => [likenessOf(rule), rule])).values()];
};

/** Updates the rules of a role from those that it selects; returns true if it lacked any. */
const aggregate = async (
  client: Client,
  role: ClusterRole,
  roles: readonly ClusterRole[],
  options: CallOptions = {},
): Promise<boolean> => {
  if (role.aggregationRule === undefined) return false;
  const rules = aggregatedRules(role, roles);
  if (same(rules, role.rules ?? [])) return false;
  const ref = { name: role.metadata.name };
  const body = {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: ref,
    ...present({ rules: unlessEmpty(rules) }),
  };
  const fieldManager = 'clusterrole-aggregation-controller';
  const patch = { type: 'apply', body, fieldManager, force: true } as const;
  await client.patch(ClusterRole, ref, patch, options);
  return true;
};

/** Aggregates all roles once, in a cluster without concurrent writers, as the controller does after changes. */
export const aggregateAll = async (client: Client): Promise<void> => {
  for (;;) {
    const { items } = await client.list(ClusterRole);
    const changes = await Promise.all(items.map((role) => aggregate(client, role, items)));
    if (!changes.includes(true)) return;
  }
};

/** Keeps the rules of aggregated ClusterRoles as those that they gather from. */
export const aggregationController: ControllerDefinition = defineController({
  name: 'clusterrole-aggregation',
  for: ClusterRole,
  when: (now) => now?.aggregationRule !== undefined,
  indexes: [
    index(ClusterRole, AGGREGATED, ({ aggregationRule }) =>
      aggregationRule === undefined ? [] : [AGGREGATED],
    ),
  ],
  watches: [
    watch(ClusterRole, {
      when: (now, before) =>
        !same(now?.rules, before?.rules) || !same(now?.metadata.labels, before?.metadata.labels),
      map: (_role, caches) =>
        caches(ClusterRole)
          .byIndex(AGGREGATED, AGGREGATED)
          .map(({ metadata: { name } }) => ({ name })),
    }),
  ],
  async reconcile(ref, { cache, client, signal }) {
    const role = cache(ClusterRole).get(ref);
    if (role !== undefined) await aggregate(client, role, cache(ClusterRole).list(), { signal });
    return undefined;
  },
});
