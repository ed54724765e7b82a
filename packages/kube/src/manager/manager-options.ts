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
  /** Identity of this process in leases and events; derived from the host name by default. */
  readonly identity?: string;
  /** Absent when no other process runs these controllers: they then need no leader. */
  readonly leaderElection?: ManagerElection;
  /** Registry of failures, beside the log. */
  readonly troubles?: Troubles;
  /** Address for probes and metrics; none by default. */
  readonly http?: ListenOptions;
  /** Grace period of running reconciles after the manager is stopped. */
  readonly graceMs?: number;
}
