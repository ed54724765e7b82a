import type { ClusterAffinity, FieldSelector } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Labels } from '@perigee/api/values/label-requirement';
import { labelSelectorOf, matchesLabels } from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';

/** The fields of a cluster that an affinity selects by. */
export interface SelectableCluster {
  readonly name: string;
  readonly labels: Labels;
  readonly provider: string;
  readonly region: string;
  readonly zones: readonly string[];
}

export type ClusterPredicate = (cluster: SelectableCluster) => boolean;

const nobody: ClusterPredicate = () => false;

type FieldRule = NonNullable<FieldSelector['matchExpressions']>[number];

const fieldPredicate = ({ key, operator, values = [] }: FieldRule): ClusterPredicate => {
  const among = new Set(values);
  const mustMatch = operator === 'In';
  if (key === 'zone') return ({ zones }) => zones.some((zone) => among.has(zone)) === mustMatch;
  return (cluster) => (cluster[key] !== '' && among.has(cluster[key])) === mustMatch;
};

const labelPredicate = (selector: ClusterAffinity['labelSelector']): ClusterPredicate => {
  try {
    const requirements = labelSelectorOf(selector);
    return ({ labels }) => matchesLabels(requirements, labels);
  } catch (error) {
    if (error instanceof ParseError) return nobody;
    throw error;
  }
};

/** The predicate of an affinity: a cluster must meet all of its conditions. */
export const affinityPredicate = (affinity: ClusterAffinity): ClusterPredicate => {
  const { labelSelector, fieldSelector, clusterNames = [], exclude = [] } = affinity;
  const excludedNames = new Set(exclude);
  const names = clusterNames.length === 0 ? undefined : new Set(clusterNames);
  const conditions = [
    ...(labelSelector === undefined ? [] : [labelPredicate(labelSelector)]),
    ...(fieldSelector?.matchExpressions ?? []).map(fieldPredicate),
  ];
  return (cluster) =>
    !excludedNames.has(cluster.name) &&
    (names?.has(cluster.name) ?? true) &&
    conditions.every((holds) => holds(cluster));
};
