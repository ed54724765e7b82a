import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { SuggestionReason } from '@perigee/api/reasons/suggestion-reasons';
import type { Change } from '../plan/world.ts';

/** The object that somebody would have to change, so that it can be found out who may. */
export interface SuggestedTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly cluster: string;
}

/** One change that may help. */
export interface Candidate {
  readonly reason: SuggestionReason;
  /** For people: an order, such as "tolerate the taint a=b:NoSchedule in the policy web". */
  readonly text: string;
  /** Effort of the change: fewer and smaller changes rank first. */
  readonly cost: number;
  readonly change: Change;
  /** Absent for what no single object says, such as room in a cluster. */
  readonly target?: SuggestedTarget;
  /** The JSON merge patch that does it, of an object that is there. */
  readonly patch?: object;
  /** The kind that a cluster would have to serve; what installs it has a name that only the server knows. */
  readonly serves?: ServedKind;
  /** The object that does it, where there is none yet. */
  readonly manifest?: object;
}

/** Changes that together make the work run, confirmed by a trial. */
export interface Suggestion {
  readonly changes: readonly Omit<Candidate, 'change' | 'cost'>[];
  /** The placement of the work afterwards. */
  readonly to: readonly TargetCluster[];
}
