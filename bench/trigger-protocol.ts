/** Load of a run: bindings that a trigger has scheduled afresh, all at once. */
export interface TriggerCase {
  readonly clusters: number;
  readonly bindings: number;
  /** WorkloadRebalancers that name all of them, or a ScheduleTrigger that names their policy. */
  readonly by: 'rebalancer' | 'policy';
}

/** Karmada's components, by the paths of their binaries, and the flags that both get. */
export interface TriggerPeer {
  readonly scheduler: string;
  /** Tells the bindings; ours does when there is none. */
  readonly controllerManager?: string;
  readonly flags: readonly string[];
}

/** Without a peer, all is ours. */
export interface TriggerOrder extends TriggerCase {
  readonly peer?: TriggerPeer;
}

export interface TriggerResult {
  /** Bindings in a second, from the creation of the trigger to the last schedule. */
  readonly perSecond: number;
  /** Longest time until new work was scheduled, while the others were. */
  readonly longestWaitMs: number;
  /** The most memory that the process of the server and of our controllers had. */
  readonly peakBytes: number;
}
