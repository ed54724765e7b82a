export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One observation about an object, in the standard Kubernetes form. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | bigint;
}
