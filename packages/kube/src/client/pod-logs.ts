/** Options for reading the log of a container. */
export interface PodLogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
  /** As in the status of the pod; a container that was restarted has another one since. */
  readonly containerID: string;
  /** Goes on while the container does. */
  readonly follow: boolean;
  /** Puts the time before each line. */
  readonly timestamps: boolean;
  /** Number of last lines, all by default. */
  readonly tailLines?: number;
  /** The moment of the earliest line, in milliseconds since the epoch. */
  readonly since?: number;
  readonly limitBytes?: number;
  /** Both unless given. */
  readonly stream?: 'stdout' | 'stderr';
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

/** Reads what a container wrote, from whoever runs the pods of a cluster. */
export type ReadPodLog = (request: PodLogRequest) => AsyncIterable<Buffer>;
