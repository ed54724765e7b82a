import type { Client, ObjectRef } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { ControllerDefinition } from '../controller/define-controller.ts';
import type { Troubles } from '../controller/troubles.ts';
import type { ElectionOptions } from '../leader-election/election-options.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ListenOptions } from './http-listener.ts';

type Durations = Pick<ElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;

export interface ManagerElection extends Durations {
  /** The lease that the processes compete for. */
  readonly lease: ObjectRef;
  /** For the lease only, so that renewals never queue behind other requests; the common one unless given. */
  readonly client?: Client;
}

export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly controllers: readonly ControllerDefinition[];
  /** Who this process is, in leases and events; made up from the host's name unless given. */
  readonly identity?: string;
  /** Absent when no other process runs these controllers: they then need no leader. */
  readonly leaderElection?: ManagerElection;
  /** Where to tell what does not work, beside the log. */
  readonly troubles?: Troubles;
  /** Where to answer probes and tell the metrics; nowhere unless given. */
  readonly http?: ListenOptions;
  /** How long running reconciles may go on after the manager was told to stop. */
  readonly graceMs?: number;
}
