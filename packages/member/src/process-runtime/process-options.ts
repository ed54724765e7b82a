import type { Isolation } from '../isolation/isolation.ts';
import type { Spawn } from '../processes/spawn.ts';

/** A Node.js program. */
export interface NodeProgram {
  readonly name: string;
  /** Its folder, with all dependencies. */
  readonly folder: string;
  /** The entry file in that folder. */
  readonly module: string;
}

/** Options for running pods as processes of this machine. */
export interface ProcessOptions {
  /**
   * Consent: everybody who may create pods in the member, including users whose workloads a control plane places there,
   * may run any program on this machine.
   */
  readonly allow: true;
  /** Namespaces whose pods may run; all by default. */
  readonly namespaces?: readonly string[];
  /** Isolation of processes; by default the strongest that works here. */
  readonly isolation?: Isolation;
  /** Folders to hide from processes, where possible. */
  readonly hide?: readonly string[];
  /** Storage for files and logs of pods; not shared with other members. */
  readonly folder: string;
  /** Runs every pod without the annotation `simulated`; by default only pods that ask for it. */
  readonly all?: boolean;
  /** Folders of this machine that pods may mount; none by default. */
  readonly hostPaths?: readonly string[];
  /** Programs for the `PATH` of sandboxed processes; none by default. */
  readonly programs?: readonly NodeProgram[];
  /** Log size per container; 10 MiB by default. */
  readonly logBytes?: number;
  /** Niceness, from 0 to 19; 5 by default. */
  readonly nice?: number;
  /** `PATH` for commands; that of this process by default. */
  readonly path?: string;
  /** Grace period when the member stops; 2 s by default. */
  readonly stopMs?: number;
  /** Starts processes without isolation; on this machine by default. */
  readonly spawn?: Spawn;
}
