import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import { nearNames } from '@perigee/api/values/near-names';
import { present } from '@perigee/schema/present';
import type { PlanState } from '../../plan/plan-state.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { affinitiesOf, type PolicyAffinity } from './affinities.ts';
import { affinityFitting, NEAR } from './by-requirement.ts';
import { clusterChange } from './cluster-change.ts';
import { policyTitle } from './policy-change.ts';

/** The requested labels that a cluster lacks; undefined if labels cannot help. */
const missingLabels = (
  { labelSelector }: ClusterAffinity,
  { metadata: { labels = {} } }: MemberCluster,
): { readonly [key: string]: string } | undefined => {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const labelPairs = [
    ...Object.entries(matchLabels),
    ...matchExpressions.flatMap(({ key, operator, values = [] }) =>
      operator === 'In' && values[0] !== undefined ? [[key, values[0]] as const] : [],
    ),
  ].filter(([key, value]) => labels[key] !== value);
  return labelPairs.length === 0 ? undefined : Object.fromEntries(labelPairs);
};

const labelText = (labels: { readonly [key: string]: string }): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

const spellingCandidates = (
  policyAffinity: PolicyAffinity,
  { clusters }: PlanState,
): readonly Candidate[] => {
  const { clusterNames = [] } = policyAffinity.affinity;
  return clusterNames
    .filter((name) => !clusters.has(name))
    .flatMap((name) => {
      const [near] = nearNames(name, clusters.keys());
      if (near === undefined) return [];
      const names = clusterNames.map((one) => (one === name ? near : one));
      const text = `name the cluster ${near} instead of ${name}, which does not exist, in ${policyTitle(policyAffinity.policy)}`;
      const next = { ...policyAffinity.affinity, clusterNames: [...new Set(names)] };
      return [policyAffinity.changeTo(next, { reason: 'FixClusterName', text, cost: 1 })];
    });
};

const isNamedIn = ({ clusterNames = [] }: ClusterAffinity, name: string): boolean =>
  clusterNames.length === 0 || clusterNames.includes(name);

/** A cluster whose field or label is similar to the one in the affinity. */
const nearMiss = ({ affinity }: PolicyAffinity, { clusters }: PlanState): readonly string[] => {
  const near = [...clusters.values()].find(
    (cluster) =>
      isNamedIn(affinity, cluster.metadata.name) &&
      affinityFitting(affinity, cluster)?.cost === NEAR,
  );
  return near === undefined ? [] : [near.metadata.name];
};

const widenings = (
  policyAffinity: PolicyAffinity,
  cluster: MemberCluster,
): readonly Candidate[] => {
  const { affinity, policy } = policyAffinity;
  const { name } = cluster.metadata;
  const { clusterNames = [], exclude = [] } = affinity;
  const isNamed = isNamedIn(affinity, name);
  const isExcluded = exclude.includes(name);
  const wideAffinity: ClusterAffinity = {
    ...affinity,
    ...present({
      clusterNames: isNamed ? undefined : [...clusterNames, name],
      exclude: isExcluded ? exclude.filter((one) => one !== name) : undefined,
    }),
  };
  const title = policyTitle(policy);
  const fittingAffinity = affinityFitting(wideAffinity, cluster);
  const labels = missingLabels(affinity, cluster);
  const use = `let ${title} use the cluster ${name}`;
  const isOpen = isNamed && !isExcluded;
  const isContrary = isExcluded && clusterNames.includes(name);
  return [
    ...(fittingAffinity === undefined
      ? []
      : [
          policyAffinity.changeTo(fittingAffinity.affinity, {
            reason: 'FixAffinity',
            text: isOpen
              ? `${fittingAffinity.text} in ${title}`
              : `${use}, and ${fittingAffinity.text} there`,
            cost: fittingAffinity.cost + (isOpen ? 0 : 1),
          }),
        ]),
    ...(isOpen
      ? []
      : [
          policyAffinity.changeTo(wideAffinity, {
            reason: 'AddClusterToAffinity',
            text: isContrary
              ? `do not exclude the cluster ${name} in ${title}, which names it`
              : use,
            cost: isContrary ? 2.5 : 3,
          }),
        ]),
    ...(labels === undefined
      ? []
      : [
          clusterChange(
            cluster,
            { metadata: { labels } },
            {
              reason: 'LabelCluster',
              text: `label the cluster ${name} with ${labelText(labels)}, if it is true of it`,
              cost: 3 + Object.keys(labels).length / 10,
            },
          ),
        ]),
  ];
};

/** Changes that extend the affinity of a policy to more clusters. */
export const byAffinity = (
  { state, policy }: StuckWork,
  refusingClusters: readonly string[],
): readonly Candidate[] => {
  if (policy === undefined) return [];
  return affinitiesOf(policy).flatMap((policyAffinity) => {
    const names = new Set([
      ...refusingClusters,
      ...(refusingClusters.length > 0 ? nearMiss(policyAffinity, state) : []),
    ]);
    const clusters = [...names].flatMap((name) => state.clusters.get(name) ?? []);
    return [
      ...spellingCandidates(policyAffinity, state),
      ...clusters.flatMap((cluster) => widenings(policyAffinity, cluster)),
    ];
  });
};
