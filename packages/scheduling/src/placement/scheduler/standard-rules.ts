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
   * No rule looks at anything but the spec, except for what its resource is called, the groups that it
   * names, and the facts of clusters. The same again is then decided in the same way.
   */
  readonly areRepeatable?: boolean;
}

/** In a fixed order, so that a cluster that fails several rules is always told the same one. */
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
