/** What to play: Deployments of three replicas, divided over virtual members. */
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
  /** What lives on for each, when all are ready; not known of other people's programs. */
  readonly bytesOfEach?: number;
  /** The most that all processes had together, until all were ready. */
  readonly peakMegabytes: number;
  /** The writes for one Deployment until it is ready, by who wrote which kind; the most frequent first. */
  readonly writes: readonly (readonly [writer: string, ofEach: number])[];
  /** How long a Deployment of another namespace took that came when all others were under way. */
  readonly newcomerSeconds: number;
  /** How long a request of somebody who reads took meanwhile; 99 of 100 were quicker. */
  readonly readMs: number;
}
