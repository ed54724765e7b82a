import type { JsonObject } from '@perigee/schema/json';
import { int64, list, object, oneOf } from '@perigee/schema/structural/builder';
import { optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import { clusterAffinity } from './cluster-affinity.ts';

const weightPreference = (description: string) =>
  object(description, {
    staticWeightList: optional(
      list(
        'Fixed weights. A cluster that no entry selects gets nothing; one that several select gets the largest.',
        object('The weight of some clusters.', {
          targetCluster: clusterAffinity('The clusters that get the weight.'),
          weight: int64('The share of each of these clusters, relative to the others.', {
            minimum: 1,
          }),
        }),
      ),
    ),
    dynamicWeight: optional(
      oneOf(
        'Weighs each cluster by how many replicas it could take now; staticWeightList then has no effect.',
        ['AvailableReplicas'],
      ),
    ),
  });

/** Schema of the division of a workload's replicas among the selected clusters. */
export const replicaScheduling = (description: string) =>
  object(description, {
    replicaSchedulingType: withDefault(
      'Divided',
      oneOf('Duplicated gives every cluster all replicas; Divided gives each a part.', [
        'Duplicated',
        'Divided',
      ]),
    ),
    replicaDivisionPreference: optional(
      oneOf(
        'How Divided divides: Aggregated uses as few clusters as have the room, Weighted follows weightPreference. Weighted when left out.',
        ['Aggregated', 'Weighted'],
      ),
    ),
    weightPreference: optional(
      weightPreference('The weights for Weighted; all clusters weigh the same when left out.'),
    ),
  });

/** True, as a rule about a placement, when clusters are filled by the room that they have. */
export const FOLLOWS_CAPACITY =
  "has(self.replicaScheduling) && self.replicaScheduling.replicaSchedulingType == 'Divided' && has(self.replicaScheduling.replicaDivisionPreference) && (self.replicaScheduling.replicaDivisionPreference == 'Aggregated' || (has(self.replicaScheduling.weightPreference) && has(self.replicaScheduling.weightPreference.dynamicWeight)))";

/** Runs before defaults are filled in: a strategy without a type divides. */
export const normaliseReplicaScheduling = (strategy: JsonObject): JsonObject => {
  const { replicaSchedulingType, replicaDivisionPreference } = strategy;
  return (replicaSchedulingType ?? 'Divided') === 'Divided' && !replicaDivisionPreference
    ? { ...strategy, replicaDivisionPreference: 'Weighted' }
    : strategy;
};

export type ReplicaSchedulingStrategy = StoredOf<ReturnType<typeof replicaScheduling>>;
export type ClusterPreferences = StoredOf<ReturnType<typeof weightPreference>>;
