import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { SuggestionReason } from '@perigee/api/reasons/suggestion-reasons';
import type { Change } from '../plan/world.ts';

/** The object to change, for checks of the right to change it. */
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
  /** An instruction for people, such as "tolerate the taint a=b:NoSchedule in the policy web". */
  readonly text: string;
  /** Effort of the change: fewer and smaller changes rank first. */
  readonly cost: number;
  readonly change: Change;
  /** Absent for changes outside of a single object, such as room in a cluster. */
  readonly target?: SuggestedTarget;
  /** The JSON merge patch of an existing object. */
  readonly patch?: object;
  /** The kind that a cluster would have to serve; only the server knows the name of its definition. */
  readonly serves?: ServedKind;
  /** The object to create. */
  readonly manifest?: object;
}

/** Changes that together make the work run, confirmed by a trial. */
export interface Suggestion {
  readonly changes: readonly Omit<Candidate, 'change' | 'cost'>[];
  /** The placement of the work afterwards. */
  readonly to: readonly TargetCluster[];
}
