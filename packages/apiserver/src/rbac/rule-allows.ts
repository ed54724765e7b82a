import type {
  Attributes,
  PathAttributes,
  ResourceAttributes,
} from '@perigee/kubernetes/authorization/attributes';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';

const allows = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes('*') || values.includes(value));

const allowsResource = (
  resources: readonly string[] | undefined,
  { resource, subresource }: ResourceAttributes,
): boolean =>
  subresource === ''
    ? allows(resources, resource)
    : allows(resources, `${resource}/${subresource}`) ||
      (resources?.includes(`*/${subresource}`) ?? false);

const allowsName = (names: readonly string[] = [], name: string): boolean =>
  names.length === 0 || names.includes(name);

/** True if a path of a rule, which may end in stars, is or begins the other. */
export const pathCovers = (ruled: string, path: string): boolean =>
  ruled === path || (ruled.endsWith('*') && path.startsWith(ruled.replace(/(?<!\*)\*+$/, '')));

const allowsPath = (paths: readonly string[] = [], { path }: PathAttributes): boolean =>
  paths.some((ruled) => pathCovers(ruled, path));

/** True if a rule allows the request, for any user. */
export const ruleAllows = (rule: PolicyRule, attributes: Attributes): boolean => {
  if (!allows(rule.verbs, attributes.verb)) return false;
  if ('path' in attributes) return allowsPath(rule.nonResourceURLs, attributes);
  return (
    allows(rule.apiGroups, attributes.apiGroup) &&
    allowsResource(rule.resources, attributes) &&
    allowsName(rule.resourceNames, attributes.name)
  );
};
