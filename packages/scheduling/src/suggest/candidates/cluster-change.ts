import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { applyPatch } from '../../plan/merge.ts';
import type { Candidate } from '../suggestion.ts';

/** A candidate that changes a cluster. */
export const clusterChange = (
  cluster: MemberCluster,
  patch: object,
  words: Pick<Candidate, 'reason' | 'text' | 'cost'>,
): Candidate => ({
  ...words,
  target: {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    name: cluster.metadata.name,
  },
  patch,
  change: { kind: 'put', of: 'cluster', object: applyPatch(cluster, patch) },
});
