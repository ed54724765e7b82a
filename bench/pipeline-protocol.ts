/** Load of a run: Deployments of three replicas, divided over virtual members. */
export interface PipelineOrder {
  readonly deployments: number;
  readonly members: number;
}

export interface PipelineResult {
  /** From the first create until every template says that it is ready. */
  readonly readySeconds: number;
  /** From the first delete until no binding, Work and pod is left. */
  readonly goneSeconds: number;
  readonly cpuMsOfEach: number;
  readonly writesOfEach: number;
  /** Live bytes for each Deployment, when all are ready; absent for other people's programs. */
  readonly bytesOfEach?: number;
  /** The most that all processes had together, until all were ready. */
  readonly peakMegabytes: number;
  /** The writes for one Deployment until it is ready, by writer and kind; the most frequent first. */
  readonly writes: readonly (readonly [writer: string, ofEach: number])[];
  /** Time of a Deployment of another namespace that was created when all others were under way. */
  readonly newcomerSeconds: number;
  /** The 99th percentile of the time of a reader's requests meanwhile. */
  readonly readMs: number;
}
