/** Pods of Deployments that are there when the controller starts. */
export interface PodGroupOrder {
  readonly workloads: number;
  readonly podsOfEach: number;
  /** Command of a separate process that makes the groups; by default the process of the server makes them. */
  readonly maker?: readonly [program: string, ...args: readonly string[]];
}

export interface PodGroupResult {
  /** Pods in a second that are put into their groups. */
  readonly perSecond: number;
  /** For each pod of a workload that is known already: what the owners cost, and the pod. */
  readonly requestsPerPod: number;
  /** The most memory that the process had, the server included. */
  readonly peakBytes: number;
}
