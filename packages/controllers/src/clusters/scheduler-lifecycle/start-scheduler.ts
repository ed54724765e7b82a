import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import { schedulerController } from '../../placement/scheduler/scheduler-controller.ts';
import { leaseOf } from './scheduler-lease.ts';
import { schedulerSessionController } from './scheduler-session-controller.ts';

export interface StartSchedulerOptions {
  /** The name of the Scheduler object. */
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The lease identity of this process; random by default. Of several processes for one Scheduler, one is active. */
  readonly identity?: string;
  /** Stops the scheduler. */
  readonly signal?: AbortSignal;
}

/**
 * Runs one scheduler: it decides about the bindings that name it while it holds its lease. Its writes are fenced by
 * the lease, so that a process that was suspended and resumes does no harm.
 */
export const startScheduler = async ({
  name,
  client,
  clock,
  logger,
  identity,
  signal,
}: StartSchedulerOptions): Promise<Manager> => {
  const manager = new Manager({
    client,
    clock,
    logger,
    controllers: [
      ...BINDING_KINDS.map((kind) => schedulerController(kind, { schedulerName: name })),
      schedulerSessionController(name),
    ],
    leaderElection: { lease: leaseOf(name) },
    ...present({ identity }),
  });
  await manager.start(signal);
  return manager;
};
