import type { Attributes } from './attributes.ts';

/** A rule that matches requests, as webhooks and policies write it. */
export interface OperationRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only policies can name objects. */
  readonly resourceNames?: readonly string[];
}

/** A resource that is served, perhaps as an equivalent of the requested one. */
export interface Place {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

const includes = (items: readonly string[] = [], value: string): boolean =>
  items.includes('*') || items.includes(value);

const isNamespaces = ({ group, plural }: Place): boolean => group === '' && plural === 'namespaces';

const inScope = (scope: string, place: Place, namespace: string): boolean => {
  if (scope === '*') return true;
  const isNamespaced = !isNamespaces(place) && namespace !== '';
  return scope === 'Namespaced' ? isNamespaced : !isNamespaced;
};

const matchesResource = (rule: string, plural: string, subresource: string): boolean => {
  const slash = rule.indexOf('/');
  const resource = slash < 0 ? rule : rule.slice(0, slash);
  const part = slash < 0 ? '' : rule.slice(slash + 1);
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
};

/** True if a rule means a request, seen as one to the given place. */
export const matchesRule = (
  rule: OperationRule,
  { operation, subresource, namespace, name }: Attributes,
  place: Place,
): boolean =>
  inScope(rule.scope ?? '*', place, namespace) &&
  includes(rule.operations, operation) &&
  includes(rule.apiGroups, place.group) &&
  includes(rule.apiVersions, place.version) &&
  (rule.resources ?? []).some((resource) => matchesResource(resource, place.plural, subresource)) &&
  (rule.resourceNames === undefined ||
    rule.resourceNames.length === 0 ||
    rule.resourceNames.includes(name));
