import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { present } from '@perigee/schema/present';
import { pathCovers } from './rule-allows.ts';

/** A rule that cannot be taken apart further: one verb on one thing. */
export type SingleRule = { readonly verb: string } & (
  | { readonly apiGroup: string; readonly resource: string; readonly resourceName?: string }
  | { readonly path: string }
);

/** Takes a rule apart. */
const singleRules = (rule: PolicyRule): readonly SingleRule[] => {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const names =
    resourceNames.length === 0 ? [{}] : resourceNames.map((resourceName) => ({ resourceName }));
  const onResources = apiGroups.flatMap((apiGroup) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, apiGroup, resource, ...name }))),
    ),
  );
  const onPaths = (rule.nonResourceURLs ?? []).flatMap((path) =>
    verbs.map((verb) => ({ verb, path })),
  );
  return [...onResources, ...onPaths];
};

const holds = (values: readonly string[] = [], value: string): boolean =>
  values.includes('*') || values.includes(value);

const holdsResource = (resources: readonly string[] = [], resource: string): boolean => {
  if (holds(resources, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && resources.includes(`*${resource.slice(slash)}`);
};

/** Whoever may act on all names may act on one; not the other way round. */
const holdsName = (names: readonly string[] = [], name: string | undefined): boolean =>
  names.length === 0 || (name !== undefined && names.includes(name));

const covers = (rule: PolicyRule, single: SingleRule): boolean => {
  if (!holds(rule.verbs, single.verb)) return false;
  if ('path' in single) {
    const { resourceNames = [], nonResourceURLs = [] } = rule;
    return (
      resourceNames.length === 0 && nonResourceURLs.some((path) => pathCovers(path, single.path))
    );
  }
  return (
    holds(rule.apiGroups, single.apiGroup) &&
    holdsResource(rule.resources, single.resource) &&
    holdsName(rule.resourceNames, single.resourceName)
  );
};

/**
 * Permissions of the requested rules that the held rules do not cover. Empty if a holder of these may grant those.
 */
export const uncoveredRules = (
  heldRules: readonly PolicyRule[],
  requestedRules: readonly PolicyRule[],
): readonly SingleRule[] =>
  requestedRules
    .flatMap(singleRules)
    .filter((single) => !heldRules.some((rule) => covers(rule, single)));

/** A single rule in the form in which roles have it. */
export const toPolicyRule = (single: SingleRule): PolicyRule => {
  const verbs = [single.verb];
  if ('path' in single) return { verbs, nonResourceURLs: [single.path] };
  const { apiGroup, resource, resourceName } = single;
  return {
    verbs,
    apiGroups: [apiGroup],
    resources: [resource],
    ...present({ resourceNames: resourceName === undefined ? undefined : [resourceName] }),
  };
};
