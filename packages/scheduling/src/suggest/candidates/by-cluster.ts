import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import { taintText, tolerates } from '../../clusters/tolerations.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { avoidCluster } from './avoid-cluster.ts';
import { clusterChange } from './cluster-change.ts';
import { policyChange, policyTitle } from './policy-change.ts';

/** Taints of unhealthy clusters: tolerating them would send work to where it cannot run. */
const OF_HEALTH: ReadonlySet<string> = new Set([
  'cluster.karmada.io/not-ready',
  'cluster.karmada.io/unreachable',
]);

const untoleratedTaints = (
  { state, binding }: StuckWork,
  name: string,
): readonly ClusterTaint[] => {
  const tolerations = binding?.spec.placement?.clusterTolerations ?? [];
  return (state.clusters.get(name)?.spec.taints ?? []).filter(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' && !tolerations.some((one) => tolerates(one, taint)),
  );
};

/** Changes that admit the work in spite of the taints of clusters. */
export const byTaints = (
  work: StuckWork,
  refusingClusters: readonly string[],
): readonly Candidate[] => {
  const { state, policy } = work;
  return refusingClusters.flatMap((name): readonly Candidate[] => {
    const cluster = state.clusters.get(name);
    const taints = untoleratedTaints(work, name);
    if (cluster === undefined) return [];
    if (taints.some(({ key }) => OF_HEALTH.has(key))) {
      return avoidCluster(work, name, 'is not ready');
    }
    const texts = taints.map(taintText).join(' and ');
    const tolerations = taints.map(({ key, value, effect }) =>
      value === undefined || value === ''
        ? ({ key, operator: 'Exists', effect } as const)
        : ({ key, operator: 'Equal', value, effect } as const),
    );
    const otherTaints = (cluster.spec.taints ?? []).filter((one) => !taints.includes(one));
    const taintRemoval = clusterChange(
      cluster,
      { spec: { taints: otherTaints } },
      { reason: 'RemoveTaint', text: `take the taint ${texts} off the cluster ${name}`, cost: 4 },
    );
    if (policy === undefined) return [taintRemoval];
    const tolerationsBefore = policy.spec.placement?.clusterTolerations ?? [];
    const patch = {
      spec: { placement: { clusterTolerations: [...tolerationsBefore, ...tolerations] } },
    };
    const text = `tolerate the taint ${texts} of the cluster ${name} in ${policyTitle(policy)}`;
    return [policyChange(policy, patch, { reason: 'TolerateTaint', text, cost: 2 }), taintRemoval];
  });
};

/** Changes that let clusters accept a kind that they do not serve. */
export const byApis = (
  { state, binding }: StuckWork,
  refusingClusters: readonly string[],
): readonly Candidate[] =>
  refusingClusters.flatMap((name): readonly Candidate[] => {
    const cluster = state.clusters.get(name);
    if (cluster === undefined || binding === undefined) return [];
    const { apiVersion, kind } = binding.spec.resource;
    const presentApis = cluster.status?.apiEnablements ?? [];
    const resources = [{ name: `${kind.toLowerCase()}s`, kind }];
    const apiEnablements = [...presentApis, { groupVersion: apiVersion, resources }];
    return [
      {
        reason: 'ServeApi',
        text: `serve ${kind} (${apiVersion}) in the cluster ${name}: send its CustomResourceDefinition there`,
        cost: 5,
        serves: { apiVersion, kind, cluster: name },
        change: {
          kind: 'put',
          of: 'cluster',
          object: { ...cluster, status: { ...cluster.status, apiEnablements } },
        },
      },
    ];
  });
