/** Order to start a process. No shell reads any of it. */
export interface SpawnOrder {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment; nothing is inherited. */
  readonly env: { readonly [name: string]: string };
  /** Working directory, as the process sees it. */
  readonly folder: string;
  /** Niceness. */
  readonly nice: number;
  /** User id of the process; ours by default. */
  readonly user?: number;
  /** Mounts beside the system, for a sandboxed process. */
  readonly sandbox?: PodSandbox;
  /** The file for the exit code, which a sandbox writes even when its starter is gone. */
  readonly endFile?: string;
}

/** A bind mount: a path of this machine, and its place in the sandbox. */
export interface Bind {
  /** A folder that pods cannot replace by a link. */
  readonly from: string;
  /** Subpath of the folder; created as a folder if missing. Links are not followed. */
  readonly below?: string;
  readonly to: string;
  readonly readOnly?: boolean;
}

export interface PodSandbox {
  /** An empty folder for its root. */
  readonly mountPoint: string;
  readonly binds: readonly Bind[];
}

export interface ProcessExit {
  readonly exitCode: number;
  /** Number of the signal that killed it, if known. */
  readonly signal?: number;
}

/** A process and its descendants, as one group. */
export interface RunningProcess {
  readonly pid: number;
  readonly stdout: AsyncIterable<Buffer>;
  readonly stderr: AsyncIterable<Buffer>;
  /** Resolves with the exit of the leader; the rest of its group has been killed then. */
  readonly exited: Promise<ProcessExit>;
  /** Signals the whole group; no-op after the exit. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Closes the output, which a process that left the group may hold open. */
  closeOutput(): void;
}

/** Starts a process; rejects if that fails. */
export type Spawn = (order: SpawnOrder) => Promise<RunningProcess>;
