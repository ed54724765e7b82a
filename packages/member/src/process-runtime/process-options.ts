import type { Isolation } from '../isolation/isolation.ts';
import type { Spawn } from './spawn.ts';

/** A program that Node.js runs. */
export interface NodeProgram {
  readonly name: string;
  /** The folder that it is in, with all that it needs. */
  readonly folder: string;
  /** The file in that folder that is run. */
  readonly module: string;
}

/** How a member runs pods as processes of this machine. */
export interface ProcessOptions {
  /**
   * Says that whoever may create pods in the member may run anything on this machine: also everybody whose
   * workloads a control plane places there.
   */
  readonly allow: true;
  /** The namespaces whose pods may; those of all unless given. */
  readonly namespaces?: readonly string[];
  /** How processes are kept apart from this one; as well as it can be done here unless given. */
  readonly isolation?: Isolation;
  /** Folders that processes must not see, if that can be had. */
  readonly hide?: readonly string[];
  /** Where the files and the output of pods are kept; no other member may use it. */
  readonly folder: string;
  /** Runs every pod so, unless its annotation says `simulated`; otherwise those that ask for it. */
  readonly all?: boolean;
  /** Folders of this machine that pods may mount, with all that is in them; none unless given. */
  readonly hostPaths?: readonly string[];
  /** Programs that processes find on their `PATH`, where they have a file system of their own; none unless given. */
  readonly programs?: readonly NodeProgram[];
  /** How much of the output of a container is kept; 10 MiB unless given. */
  readonly logBytes?: number;
  /** How much processes stand back behind others, from 0 to 19; 5 unless given. */
  readonly nice?: number;
  /** Where commands are looked for; as this process does unless given. */
  readonly path?: string;
  /** How long processes have to end when the member stops; 2 s unless given. */
  readonly stopMs?: number;
  /** Starts processes, without any isolation; those of this machine unless given. */
  readonly spawn?: Spawn;
}
