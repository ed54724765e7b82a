import { type LabelOperator, matchesRequirement } from '@perigee/api/values/label-requirement';
import type { NodeRequirement, NodeTerm } from '@perigee/kubernetes/core/node-affinity';
import type { PodSpec } from '@perigee/kubernetes/core/pod';
import { HOSTNAME } from './node-features.ts';

type Labels = { readonly [label: string]: string };

const OPERATORS: { readonly [operator: string]: LabelOperator } = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

const holds = ({ key, operator: name, values = [] }: NodeRequirement, labels: Labels): boolean => {
  const operator = OPERATORS[name];
  return operator !== undefined && matchesRequirement({ key, operator, values }, labels);
};

/** A term without requirements matches nothing. */
const matchesTerm = (
  { matchExpressions = [], matchFields = [] }: NodeTerm,
  labels: Labels,
  name: string,
): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every((requirement) => holds(requirement, labels)) &&
  matchFields.every((requirement) => holds(requirement, { 'metadata.name': name }));

/** True if node selector and required node affinity of a pod match a node. */
export const matchesNode = (
  { nodeSelector = {}, affinity }: PodSpec,
  labels: Labels,
  name: string,
): boolean => {
  const requiredAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    (requiredAffinity === undefined ||
      requiredAffinity.nodeSelectorTerms.some((term) => matchesTerm(term, labels, name)))
  );
};

/** Sum of the weights of matching preferences. */
export const preferenceFor = ({ affinity }: PodSpec, labels: Labels, name: string): number =>
  (affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).reduce(
    (sum, { weight, preference }) => sum + (matchesTerm(preference, labels, name) ? weight : 0),
    0,
  );

const namesNode = ({ matchExpressions = [], matchFields = [] }: NodeTerm): boolean =>
  matchFields.length > 0 || matchExpressions.some(({ key }) => key === HOSTNAME);

/** True for pods that distinguish single nodes, to which identical nodes are not equal. */
export const distinguishesNodes = ({ nodeSelector = {}, affinity }: PodSpec): boolean => {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = affinity?.nodeAffinity ?? {};
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } =
    affinity?.nodeAffinity ?? {};
  return (
    HOSTNAME in nodeSelector ||
    (required?.nodeSelectorTerms ?? []).some(namesNode) ||
    preferred.some(({ preference }) => namesNode(preference))
  );
};

/** The only possible nodes, when every term names some; undefined otherwise. */
export const namedNodes = ({ affinity }: PodSpec): readonly string[] | undefined => {
  const requiredAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (requiredAffinity === undefined) return undefined;
  const names: string[] = [];
  for (const { matchFields = [] } of requiredAffinity.nodeSelectorTerms) {
    const nameMatch = matchFields.find(
      ({ key, operator }) => key === 'metadata.name' && operator === 'In',
    );
    if (nameMatch === undefined) return undefined;
    names.push(...(nameMatch.values ?? []));
  }
  return names;
};
