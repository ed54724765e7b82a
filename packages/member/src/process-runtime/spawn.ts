import type { Bind } from '../isolation/open-binds.ts';

/** A process to be started. Nothing in it is read by a shell. */
export interface SpawnOrder {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is added. */
  readonly env: { readonly [name: string]: string };
  /** Where it starts, as it sees it. */
  readonly folder: string;
  /** How much it stands back behind others. */
  readonly nice: number;
  /** The user that it runs as; this one unless given. */
  readonly user?: number;
  /** What it sees beside the system, where it sees nothing else of this machine. */
  readonly sandbox?: PodSandbox;
}

export interface PodSandbox {
  /** An empty folder, for its root. */
  readonly mountPoint: string;
  readonly binds: readonly Bind[];
}

export interface ProcessExit {
  readonly exitCode: number;
  /** The number of the signal that ended it, if one did and it can be told. */
  readonly signal?: number;
}

/** A process with all that it started, as one group. */
export interface RunningProcess {
  readonly pid: number;
  readonly stdout: AsyncIterable<Buffer>;
  readonly stderr: AsyncIterable<Buffer>;
  /** Resolves when it has ended; what it left behind in its group has been killed then. */
  readonly exited: Promise<ProcessExit>;
  /** Tells the whole group; does nothing once it has exited. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Ends the output, which somebody who left the group may hold open. */
  closeOutput(): void;
}

/** Starts a process; rejects when it cannot be started. */
export type Spawn = (order: SpawnOrder) => Promise<RunningProcess>;
