import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { PlanReason } from '@perigee/api/reasons/plan-reasons';

/**
 * The outcome for work. `place`: it gets its first clusters. `move`: it gets others. `scale`: the same, with other
 * replicas. `update`: its copies change in place. `remove`: it loses all clusters. `wait`: it runs nowhere, and waits.
 * `short`: it does not run with all of its replicas, for want of room or because its cluster is lost. `stay`: it stays as it is, though the change concerns it.
 */
export type PlannedAction =
  | 'place'
  | 'move'
  | 'scale'
  | 'update'
  | 'remove'
  | 'wait'
  | 'short'
  | 'stay';

/** The cause of a step, or the reason why there is none. */
export interface PlannedStep {
  /** Seconds from the change to the step. */
  readonly afterSeconds: number;
  readonly reason: PlanReason;
  readonly message: string;
}

/** The outcome for one workload. */
export interface PlannedWork {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly action: PlannedAction;
  readonly from: readonly TargetCluster[];
  readonly to: readonly TargetCluster[];
  /** Seconds from the change to the final placement. */
  readonly afterSeconds: number;
  readonly reason: PlanReason;
  readonly message: string;
  readonly steps: readonly PlannedStep[];
}

/** The outcome of a change. */
export interface Plan {
  /** All work that the change touches, in a fixed order. */
  readonly work: readonly PlannedWork[];
  /** Remarks on the plan as a whole. */
  readonly notes: readonly string[];
}

/** True if the work changes. */
export const isChange = ({ action }: PlannedWork): boolean =>
  action !== 'stay' && action !== 'wait';
