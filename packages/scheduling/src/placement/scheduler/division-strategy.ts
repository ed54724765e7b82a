import type { ReplicaSchedulingStrategy } from '@perigee/api/kinds/placement/replica-scheduling';

/** Strategies for dividing replicas. */
export type DivisionStrategy = 'duplicated' | 'static-weight' | 'dynamic-weight' | 'aggregated';

export const divisionStrategy = (
  scheduling: ReplicaSchedulingStrategy | undefined,
): DivisionStrategy => {
  if (scheduling === undefined || scheduling.replicaSchedulingType === 'Duplicated') {
    return 'duplicated';
  }
  if (scheduling.replicaDivisionPreference === 'Aggregated') return 'aggregated';
  return scheduling.weightPreference?.dynamicWeight === undefined
    ? 'static-weight'
    : 'dynamic-weight';
};

/** Fixed weights decide alone; they leave no room for limits on the number of clusters. */
export const ignoresSpread = (scheduling: ReplicaSchedulingStrategy | undefined): boolean => {
  if (divisionStrategy(scheduling) !== 'static-weight') return false;
  const { weightPreference } = scheduling ?? {};
  return weightPreference === undefined || (weightPreference.staticWeightList ?? []).length > 0;
};
