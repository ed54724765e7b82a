import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { PlanReason } from '@perigee/api/reasons/plan-reasons';

/**
 * What becomes of work. `place`: it gets clusters, and had none. `move`: it gets others. `scale`: the same, with other
 * replicas. `update`: its copies change where they are. `remove`: it loses all clusters. `wait`: it runs nowhere, and
 * goes on waiting, or begins to. `short`: it runs, and no clusters have room for all that it wants by then. `stay`: it
 * stays as it is, though the change is about it.
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

/** Why something happens to work, or does not. */
export interface PlannedStep {
  /** How long after the change, in seconds. */
  readonly afterSeconds: number;
  readonly reason: PlanReason;
  readonly message: string;
}

/** What becomes of one piece of work. */
export interface PlannedWork {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly action: PlannedAction;
  readonly from: readonly TargetCluster[];
  readonly to: readonly TargetCluster[];
  /** How long after the change it is where it goes, in seconds. */
  readonly afterSeconds: number;
  readonly reason: PlanReason;
  readonly message: string;
  readonly steps: readonly PlannedStep[];
}

/** What a change brings about. */
export interface Plan {
  /** All work that the change touches, in a fixed order. */
  readonly work: readonly PlannedWork[];
  /** What else there is to know. */
  readonly notes: readonly string[];
}

/** Whether work would be anything else than before. */
export const isChange = ({ action }: PlannedWork): boolean =>
  action !== 'stay' && action !== 'wait';
