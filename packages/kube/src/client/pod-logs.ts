/** Which part of what a container wrote somebody wants to read, and how. */
export interface PodLogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
  /** As the status of the pod tells it; a container that was restarted has another one since. */
  readonly containerID: string;
  /** Goes on while the container does. */
  readonly follow: boolean;
  /** Puts the time before each line. */
  readonly timestamps: boolean;
  /** How many of the last lines; all unless given. */
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
