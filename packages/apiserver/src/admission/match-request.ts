import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import { labelSelectorOf, matchesLabels } from '@perigee/api/values/label-selector';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { JsonObject } from '@perigee/schema/json';
import { metaOf } from '../registry/metadata.ts';
import { namespaceOf, type Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import type { Attributes } from './attributes.ts';
import { matchesRule, type OperationRule } from './match-rules.ts';

/** Criteria for the requests that a webhook or a policy handles. */
export interface MatchCriteria {
  readonly rules: readonly OperationRule[];
  /** Requests that are excluded despite the rules. */
  readonly excluded?: readonly OperationRule[];
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelectorSpec): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

const isSelected = (selector: LabelSelectorSpec, object: JsonObject | undefined): boolean =>
  object !== undefined && matchesLabels(labelSelectorOf(selector), metaOf(object).labels);

/** The labels of the namespace of a request. A namespace that is written is its own. */
const namespaceLabels = (registry: Registry, attributes: Attributes) => {
  const { resource, operation, namespace, object, subresource } = attributes;
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  const isWritten = operation === 'CREATE' || operation === 'UPDATE';
  if (isNamespace && isWritten && subresource === '' && object !== undefined) {
    return metaOf(object).labels;
  }
  const entry = namespaceOf(registry, namespace);
  if (entry === undefined) throw notFound(Namespace, namespace);
  return metaOf(entry.object).labels;
};

const inNamespace = (
  registry: Registry,
  attributes: Attributes,
  selector: LabelSelectorSpec = {},
): boolean => {
  const { namespace, resource } = attributes;
  if (namespace === '' && resource.plural !== 'namespaces') return true;
  if (isEmpty(selector)) return true;
  return matchesLabels(labelSelectorOf(selector), namespaceLabels(registry, attributes));
};

/** Resources with the same objects in other versions or groups. */
const equivalentsOf = (
  { resources }: Registry,
  { group, version, plural, storage }: ServedResource,
): readonly ServedResource[] =>
  resources
    .values()
    .filter(
      (other) =>
        other.storage.group === storage.group &&
        other.storage.plural === storage.plural &&
        !(other.group === group && other.version === version && other.plural === plural),
    );

const findMatch = (
  registry: Registry,
  rules: readonly OperationRule[],
  matchPolicy: string | undefined,
  attributes: Attributes,
): ServedResource | undefined => {
  const { resource } = attributes;
  if (rules.some((rule) => matchesRule(rule, attributes, resource))) return resource;
  if (matchPolicy === 'Exact') return undefined;
  const others = equivalentsOf(registry, resource);
  for (const rule of rules) {
    const matchingResource = others.find((other) => matchesRule(rule, attributes, other));
    if (matchingResource !== undefined) return matchingResource;
  }
  return undefined;
};

/**
 * The matched resource of a request: its own, or an equivalent one of the same objects; undefined if no rule
 * matches. Throws an `ApiError` if the namespace is missing and a selector needs it.
 */
export const matchRequest = (
  registry: Registry,
  criteria: MatchCriteria,
  attributes: Attributes,
): ServedResource | undefined => {
  const { rules, excluded = [], matchPolicy, namespaceSelector, objectSelector = {} } = criteria;
  const { object, old, resource } = attributes;
  if (findMatch(registry, excluded, matchPolicy, attributes) !== undefined) return undefined;
  if (
    !isEmpty(objectSelector) &&
    !isSelected(objectSelector, object) &&
    !isSelected(objectSelector, old)
  ) {
    return undefined;
  }
  const matchingResource =
    rules.length === 0 && criteria.excluded !== undefined
      ? resource
      : findMatch(registry, rules, matchPolicy, attributes);
  if (matchingResource === undefined) return undefined;
  return inNamespace(registry, attributes, namespaceSelector) ? matchingResource : undefined;
};
