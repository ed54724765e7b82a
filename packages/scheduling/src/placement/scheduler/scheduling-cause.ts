import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { isJsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { isRescheduleDue, isWorkload } from './placement-request.ts';

/** The reasons for scheduling a binding: a closed list, used in events and metrics. */
export type SchedulingCause =
  | 'PlacementChanged'
  | 'ReplicasChanged'
  | 'RescheduleTriggered'
  | 'AlwaysScheduled'
  | 'ClusterIsGoing'
  | 'NotConfirmed';

export interface BindingState {
  readonly spec: BindingSpec;
  readonly status: BindingStatus;
  /** The placement of the last decision, as JSON; absent before the first. */
  readonly appliedPlacement?: string;
}

const FIELDS = [
  'clusterAffinity',
  'clusterTolerations',
  'spreadConstraints',
  'replicaScheduling',
  'workloadAffinity',
] as const;

/** Parses the placement of an annotation; undefined if it is invalid. */
export const readPlacement = (text: string): Placement | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? (value as Placement) : undefined;
  } catch {
    return undefined;
  }
};

/** True if the current term changed; others may change freely. */
const termsChanged = (now: Placement, then: Placement, observedName: string): boolean => {
  const term = ({ clusterAffinities = [] }: Placement) =>
    clusterAffinities.find(({ affinityName }) => affinityName === observedName);
  const [newTerm, oldTerm] = [term(now), term(then)];
  return newTerm === undefined || oldTerm === undefined || !sameJson(newTerm, oldTerm);
};

const placementChanged = ({ spec, status, appliedPlacement }: BindingState): boolean => {
  const { placement } = spec;
  if (placement === undefined) return false;
  const lastPlacement =
    appliedPlacement === undefined ? undefined : readPlacement(appliedPlacement);
  if (lastPlacement === undefined) return true;
  if (sameJson(placement, lastPlacement)) return false;
  if (FIELDS.some((field) => !sameJson(placement[field], lastPlacement[field]))) return true;
  return termsChanged(placement, lastPlacement, status.schedulerObservingAffinityName ?? '');
};

const replicasChanged = ({
  placement,
  clusters = [],
  replicas = 0,
  components = [],
}: BindingSpec) => {
  const scheduling = placement?.replicaScheduling;
  if (scheduling === undefined) return false;
  if (components.length > 0 && clusters.length === 0) return true;
  if (components.length > 1) return false;
  if (scheduling.replicaSchedulingType === 'Duplicated') {
    return clusters.some((target) => (target.replicas ?? 0) !== replicas);
  }
  return clusters.reduce((sum, target) => sum + (target.replicas ?? 0), 0) !== replicas;
};

/**
 * The cause for scheduling a binding now; undefined without one. Divided work in place stays, regardless of changes
 * to clusters that it does not use.
 */
export const schedulingCause = (
  state: BindingState,
  isGoing: (cluster: string) => boolean,
): SchedulingCause | undefined => {
  const { spec, status } = state;
  if (placementChanged(state)) return 'PlacementChanged';
  if (replicasChanged(spec)) return 'ReplicasChanged';
  if (isRescheduleDue(spec, status)) return 'RescheduleTriggered';
  const isDuplicated = spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided';
  if (!isWorkload(spec) || isDuplicated) return 'AlwaysScheduled';
  if ((spec.clusters ?? []).some(({ name }) => isGoing(name))) return 'ClusterIsGoing';
  // The condition of the last decision is missing or outdated.
  return isConditionTrue(status.conditions, 'Scheduled') ? undefined : 'NotConfirmed';
};
