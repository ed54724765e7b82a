import type { ObjectRef } from '@perigee/kube/client/client';
import { holderOf, type Observation, observe } from '@perigee/kube/leader-election/lease-record';
import type { Lease } from '@perigee/kubernetes/coordination/lease';
import { parseTime } from '@perigee/schema/values/time';

const PREFIX = 'perigee-scheduler-';

/** The lease that the process of a scheduler holds while it is active. */
export const leaseOf = (scheduler: string): ObjectRef => ({
  namespace: 'kube-system',
  name: `${PREFIX}${scheduler}`,
});

/** The scheduler of a lease; undefined for other leases. */
export const schedulerOf = ({ metadata }: Lease): string | undefined =>
  metadata.namespace === 'kube-system' && metadata.name.startsWith(PREFIX)
    ? metadata.name.slice(PREFIX.length)
    : undefined;

const DEFAULT_LEASE_MS = 15_000;

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

interface Pulse extends Observation {
  /** True once this process has seen the lease being renewed. */
  readonly beats: boolean;
}

/**
 * Detects active schedulers by their leases: a lease that has not changed for its duration has expired. The state
 * is in memory; after a restart a lease counts as held if its renew time is recent.
 */
export class SchedulerPulses {
  readonly #pulses = new Map<string, Pulse>();

  /** Time until the lease expires; 0 if it has. */
  aliveForMs(scheduler: string, lease: Lease | undefined, now: Moment): number {
    if (lease === undefined || holderOf(lease.spec) === '') {
      this.#pulses.delete(scheduler);
      return 0;
    }
    const before = this.#pulses.get(scheduler);
    const pulse = observe(before, lease, now.monotonic);
    if (pulse === undefined) return 0;
    const { renewTime, leaseDurationSeconds } = pulse.spec;
    const durationMs =
      leaseDurationSeconds === undefined ? DEFAULT_LEASE_MS : leaseDurationSeconds * 1000;
    const age =
      renewTime === undefined ? Number.POSITIVE_INFINITY : now.wall - parseTime(renewTime);
    const beats = before === undefined ? age < durationMs : before.beats || pulse !== before;
    this.#pulses.set(scheduler, { ...pulse, beats });
    return beats ? Math.max(0, pulse.since + durationMs - now.monotonic) : 0;
  }

  forget(scheduler: string): void {
    this.#pulses.delete(scheduler);
  }
}
