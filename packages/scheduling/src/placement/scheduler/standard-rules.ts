import type { Filter, Score } from './filter.ts';
import { apiEnablement } from './filters/api-enablement.ts';
import { clusterAffinityFilter } from './filters/cluster-affinity.ts';
import { clusterEviction } from './filters/cluster-eviction.ts';
import { dataLocality } from './filters/data-locality.ts';
import { spreadConstraintFilter } from './filters/spread-constraint.ts';
import { taintToleration } from './filters/taint-toleration.ts';
import { uniqueCluster } from './filters/unique-cluster.ts';
import { workloadAffinity, workloadAntiAffinity } from './filters/workload-groups.ts';
import { clusterLocality } from './scores/cluster-locality.ts';
import { dataPreference } from './scores/data-preference.ts';

export interface PlacementRules {
  readonly filters: readonly Filter[];
  readonly scores: readonly Score[];
  /**
   * True if the rules read nothing but the spec (without the name of its resource), its groups, and the
   * facts of clusters: equal inputs then give equal decisions.
   */
  readonly areRepeatable?: boolean;
}

/** In a fixed order, so that a cluster that fails several rules always gets the same reason. */
export const standardRules: PlacementRules = {
  filters: [
    dataLocality,
    clusterAffinityFilter,
    apiEnablement,
    taintToleration,
    uniqueCluster,
    spreadConstraintFilter,
    clusterEviction,
    workloadAffinity,
    workloadAntiAffinity,
  ],
  scores: [clusterLocality, dataPreference],
  areRepeatable: true,
};
