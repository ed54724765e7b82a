import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { nearNames } from '@perigee/api/values/near-names';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { clusterChange } from './cluster-change.ts';
import { policyChange, policyTitle } from './policy-change.ts';

/** The affinities of a placement, and the patch of the placement that puts another in the place of one. */
const affinitiesOf = ({ clusterAffinity, clusterAffinities }: Placement) =>
  clusterAffinity !== undefined || clusterAffinities === undefined
    ? clusterAffinity === undefined
      ? []
      : [{ affinity: clusterAffinity, put: (next: ClusterAffinity) => ({ clusterAffinity: next }) }]
    : clusterAffinities.map((affinity, at) => ({
        affinity: affinity as ClusterAffinity,
        put: (next: ClusterAffinity) => ({
          clusterAffinities: clusterAffinities.map((one, index) =>
            index === at ? { ...one, ...next } : one,
          ),
        }),
      }));

/** The labels that a cluster lacks of those that are asked for; nothing when labels cannot help. */
const missingLabels = (
  { labelSelector }: ClusterAffinity,
  { metadata: { labels = {} } }: MemberCluster,
): { readonly [key: string]: string } | undefined => {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const wanted = [
    ...Object.entries(matchLabels),
    ...matchExpressions.flatMap(({ key, operator, values = [] }) =>
      operator === 'In' && values[0] !== undefined ? [[key, values[0]] as const] : [],
    ),
  ].filter(([key, value]) => labels[key] !== value);
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
};

const labelText = (labels: { readonly [key: string]: string }): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** Changes that extend the affinity of a policy to more clusters. */
export const byAffinity = (
  { state, policy }: StuckWork,
  refused: readonly string[],
): readonly Candidate[] => {
  if (policy === undefined) return [];
  const named = policyTitle(policy);
  return affinitiesOf(policy.spec.placement ?? {}).flatMap(({ affinity, put }) => {
    const { clusterNames = [], exclude = [] } = affinity;
    const change = (next: ClusterAffinity, words: Pick<Candidate, 'reason' | 'text' | 'cost'>) =>
      policyChange(policy, { spec: { placement: put(next) } }, words);
    const misspelt = clusterNames
      .filter((name) => !state.clusters.has(name))
      .flatMap((name) => {
        const [near] = nearNames(name, state.clusters.keys());
        if (near === undefined) return [];
        const clusterNamesNext = clusterNames.map((one) => (one === name ? near : one));
        const text = `name the cluster ${near} instead of ${name}, which does not exist, in ${named}`;
        return [
          change(
            { ...affinity, clusterNames: [...new Set(clusterNamesNext)] },
            { reason: 'FixClusterName', text, cost: 1 },
          ),
        ];
      });
    const added = refused.flatMap((name): readonly Candidate[] => {
      const cluster = state.clusters.get(name);
      if (cluster === undefined) return [];
      const labels = missingLabels(affinity, cluster);
      const isNamed = clusterNames.length === 0 || clusterNames.includes(name);
      const widened: ClusterAffinity = {
        ...affinity,
        ...(isNamed ? {} : { clusterNames: [...clusterNames, name] }),
        ...(exclude.includes(name) ? { exclude: exclude.filter((one) => one !== name) } : {}),
      };
      const text = `let ${named} use the cluster ${name}`;
      return [
        ...(isNamed && !exclude.includes(name)
          ? []
          : [change(widened, { reason: 'AddClusterToAffinity', text, cost: 3 })]),
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
    });
    return [...misspelt, ...added];
  });
};
