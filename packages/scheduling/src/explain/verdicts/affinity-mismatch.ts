import type { ClusterAffinity, FieldSelector } from '@perigee/api/kinds/placement/cluster-affinity';
import {
  type LabelRequirement,
  labelValue,
  matchesRequirement,
} from '@perigee/api/values/label-requirement';
import { labelSelectorOf } from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';
import { affinityPredicate } from '../../clusters/cluster-affinity.ts';
import type { ClusterFacts } from '../../placement/scheduler/cluster-facts.ts';
import type { PlacementRequest } from '../../placement/scheduler/placement-request.ts';
import type { SpecificRefusal } from './specific-refusal.ts';

type FieldRule = NonNullable<FieldSelector['matchExpressions']>[number];

const MOST_NAMES = 5;

/** Names in code marks, up to the limit. */
const valueList = (values: readonly string[], word = 'or'): string => {
  const examples = values.slice(0, MOST_NAMES).map((value) => `\`${value}\``);
  const more = values.length - examples.length;
  if (more > 0) return `${examples.join(', ')} or ${more} more`;
  const last = examples.pop() ?? 'nothing';
  return examples.length === 0 ? last : `${examples.join(', ')} ${word} ${last}`;
};

const labelMessage = ({ key, operator, values }: LabelRequirement, value: string | undefined) => {
  const is = value === undefined ? `no label \`${key}\`` : `label \`${key}\` is \`${value}\``;
  switch (operator) {
    case 'exists':
      return `${is}, and the policy wants one`;
    case '!':
      return `${is}, and the policy wants clusters without that label`;
    case '!=':
    case 'notin':
      return `${is}, and the policy wants anything but ${valueList(values, 'and')}`;
    default:
      return `${is}, the policy wants ${valueList(values)}`;
  }
};

const labelMismatch = (
  selector: ClusterAffinity['labelSelector'],
  { labels }: ClusterFacts,
): SpecificRefusal | undefined => {
  if (selector === undefined) return undefined;
  try {
    const parsedSelector = labelSelectorOf(selector);
    const requirements = parsedSelector.selects === 'matching' ? parsedSelector.requirements : [];
    const mismatch = requirements.find((one) => !matchesRequirement(one, labels));
    if (mismatch === undefined) return undefined;
    const value = labelValue(labels, mismatch.key);
    return {
      term: `label ${mismatch.key}`,
      wanted: mismatch.values,
      found: value === undefined ? [] : [value],
      message: labelMessage(mismatch, value),
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const message = `the label selector of the policy cannot be read, and so means no cluster: ${error.message}`;
    return { term: 'labelSelector', wanted: [], found: [], message };
  }
};

const fieldMismatch = (
  { key, operator, values = [] }: FieldRule,
  cluster: ClusterFacts,
): SpecificRefusal | undefined => {
  const clusterValues = key === 'zone' ? cluster.zones : cluster[key] === '' ? [] : [cluster[key]];
  const isAmong = clusterValues.some((one) => values.includes(one));
  if (isAmong === (operator === 'In')) return undefined;
  const has =
    clusterValues.length === 0 ? 'none is named' : `this is ${valueList(clusterValues, 'and')}`;
  const message =
    operator === 'In'
      ? `${key} ${valueList(values)} wanted, ${has}`
      : `any ${key} but ${valueList(values, 'and')} wanted, ${has}`;
  return { term: key, wanted: values, found: clusterValues, message };
};

const nameMismatch = (
  { clusterNames = [], exclude = [] }: ClusterAffinity,
  { name }: ClusterFacts,
): SpecificRefusal | undefined => {
  if (exclude.includes(name)) {
    const message = 'the policy excludes this name';
    return { term: 'exclude', wanted: exclude.map((one) => `not ${one}`), found: [name], message };
  }
  if (clusterNames.length === 0 || clusterNames.includes(name)) return undefined;
  const message = `the policy names ${valueList(clusterNames, 'and')} only`;
  return { term: 'clusterNames', wanted: clusterNames, found: [name], message };
};

/** The first condition of an affinity that a cluster does not meet. */
const mismatchOf = (
  affinity: ClusterAffinity,
  cluster: ClusterFacts,
): SpecificRefusal | undefined => {
  const fields = affinity.fieldSelector?.matchExpressions ?? [];
  return (
    nameMismatch(affinity, cluster) ??
    labelMismatch(affinity.labelSelector, cluster) ??
    fields.map((rule) => fieldMismatch(rule, cluster)).find((one) => one !== undefined)
  );
};

/** The affinities of the attempted term: the first choice, and those for overflow. */
const affinitiesOf = ({
  placement,
  affinityName,
}: Pick<PlacementRequest, 'placement' | 'affinityName'>): readonly ClusterAffinity[] => {
  const { clusterAffinity, clusterAffinities = [] } = placement;
  if (clusterAffinity !== undefined) return [clusterAffinity];
  const term = clusterAffinities.find((one) => one.affinityName === affinityName);
  return term === undefined ? [] : [term, ...(term.overflowAffinities ?? [])];
};

/** Of several affinities, the first choice explains the refusal: the others only take its overflow. */
export const affinityMismatch = (
  cluster: ClusterFacts,
  request: PlacementRequest,
): SpecificRefusal | undefined => {
  const affinities = affinitiesOf(request);
  if (affinities.some((one) => affinityPredicate(one)(cluster))) return undefined;
  return affinities.map((one) => mismatchOf(one, cluster)).find((one) => one !== undefined);
};
