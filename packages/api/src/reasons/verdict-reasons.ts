import type { Reasons } from './reason.ts';

const VERDICT = 'perigee explain: why a cluster was turned away';

/** Verdicts of filters about a cluster, one reason for each cluster that does not pass. */
export const verdictReasons = {
  ApiNotServed: {
    of: VERDICT,
    means: 'The cluster does not serve the kind of the work.',
    todo: 'Install its definition there.',
  },
  TaintNotTolerated: {
    of: VERDICT,
    means: 'The cluster has a taint that the policy does not tolerate.',
    todo: 'Tolerate it in the policy, or take it off the cluster.',
  },
  DataNotThere: {
    of: VERDICT,
    means: 'The policy selects the cluster, and it does not have the data that the work claims.',
    todo: 'Look at where the data is: `kubectl get datasources`.',
  },
  AffinityMismatch: {
    of: VERDICT,
    means: 'The policy does not select the cluster.',
    todo: 'Check names, labels and fields in `clusterAffinity`.',
  },
  SameCluster: {
    of: `${VERDICT}; Cluster (both kinds): Unique`,
    means: 'The cluster was known under another name before, and is used under that one.',
    todo: 'Unregister one of the two.',
  },
  BeingEvicted: {
    of: VERDICT,
    means: 'The work is being taken away from this cluster.',
    todo: 'Nothing: it may come back when the eviction is over.',
  },
  GroupIsElsewhere: {
    of: VERDICT,
    means: 'The work belongs with other work, which runs in other clusters.',
  },
  GroupIsHere: {
    of: VERDICT,
    means: 'The work keeps away from other work, which runs here.',
  },
  NoProvider: {
    of: VERDICT,
    means: 'The work spreads over providers, and the cluster names none.',
  },
  NoRegion: { of: VERDICT, means: 'The work spreads over regions, and the cluster names none.' },
  NoZone: { of: VERDICT, means: 'The work spreads over zones, and the cluster names none.' },
  NoLabel: { of: VERDICT, means: 'The work spreads by a label that the cluster does not have.' },
} as const satisfies Reasons;
