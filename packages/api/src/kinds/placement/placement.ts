import type { JsonObject } from '@perigee/schema/json';
import { object } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { mapItems, mapObject } from '../../kind/reshape.ts';
import { clusterTolerations, normaliseClusterToleration } from '../clusters/cluster-taints.ts';
import { clusterAffinities, clusterAffinity } from './cluster-affinity.ts';
import { labelKey } from './label-syntax.ts';
import {
  FOLLOWS_CAPACITY,
  normaliseReplicaScheduling,
  replicaScheduling,
} from './replica-scheduling.ts';
import { normaliseSpreadConstraint, spreadConstraints } from './spread-constraints.ts';

const workloadGroup = (description: string) =>
  object(description, {
    groupByLabelKey: labelKey(
      'The label of the workload whose value names its group. Groups do not reach across namespaces.',
    ),
  });

const workloadAffinity = (description: string) =>
  check(
    object(description, {
      affinity: optional(
        workloadGroup(
          'Only clusters that already run the group are allowed; the first of a group may go anywhere.',
        ),
      ),
      antiAffinity: optional(
        workloadGroup('Only clusters that do not yet run the group are allowed.'),
      ),
    }),
    {
      rule: '!has(self.affinity) || !has(self.antiAffinity) || self.affinity.groupByLabelKey != self.antiAffinity.groupByLabelKey',
      message:
        'affinity and antiAffinity must group by different labels, or no cluster can satisfy both',
    },
  );

/** Schema of a placement: the clusters that work may go to, and its division among them. */
export const placement = (description: string) =>
  check(
    object(description, {
      clusterAffinity: optional(
        clusterAffinity(
          'The clusters that are allowed; every cluster when clusterAffinities is left out as well.',
        ),
      ),
      clusterAffinities: optional(
        clusterAffinities(
          'Groups of clusters, tried in order until one can take the work: for example the own data centre first and a cloud after it, or a primary site and its backup.',
        ),
      ),
      clusterTolerations: optional(
        clusterTolerations('The taints of clusters that the work puts up with.'),
      ),
      spreadConstraints: optional(
        spreadConstraints('How many clusters, regions, zones or providers are used.'),
      ),
      replicaScheduling: optional(
        replicaScheduling(
          'How replicas are shared out; every chosen cluster gets all of them when left out.',
        ),
      ),
      workloadAffinity: optional(
        workloadAffinity('Which workloads should share a cluster, and which should not.'),
      ),
    }),
    {
      rule: '!has(self.clusterAffinity) || !has(self.clusterAffinities)',
      message: 'clusterAffinity and clusterAffinities exclude each other; keep one',
      fieldPath: '.clusterAffinities',
    },
    {
      rule: `!has(self.clusterAffinities) || self.clusterAffinities.all(t, !has(t.overflowAffinities)) || (${FOLLOWS_CAPACITY})`,
      message:
        'overflowAffinities need replicas that follow capacity: Divided with Aggregated, or with Weighted and a dynamicWeight',
      fieldPath: '.clusterAffinities',
    },
  );

/** Fills in what a placement means when it leaves something out. */
export const normalisePlacement = (placement: JsonObject): JsonObject => {
  const tolerant = mapItems(placement, 'clusterTolerations', normaliseClusterToleration);
  const spread = mapItems(tolerant, 'spreadConstraints', normaliseSpreadConstraint);
  return mapObject(spread, 'replicaScheduling', normaliseReplicaScheduling);
};

export type Placement = StoredOf<ReturnType<typeof placement>>;
export type WorkloadAffinity = StoredOf<ReturnType<typeof workloadAffinity>>;
