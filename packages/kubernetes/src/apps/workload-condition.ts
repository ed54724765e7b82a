/** A condition as the kinds of the groups apps and batch have it: with fewer fields that must be there. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
}
