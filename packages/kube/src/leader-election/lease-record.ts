import type { Lease, LeaseSpec } from '@perigee/kubernetes/coordination/lease';
import { formatMicroTime } from '@perigee/schema/values/time';

/** A contender: who it is, and for how long it asks others to stay away. */
export interface Holder {
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** The last observed state of a lease, and its time by the monotonic clock of the observer. */
export interface Observation {
  readonly spec: LeaseSpec;
  readonly since: number;
}

const NOBODY = '';

export const holderOf = (spec: LeaseSpec | undefined): string => spec?.holderIdentity ?? NOBODY;

/**
 * Takes in what was just read. Only a change restarts the time, so the wall clocks of the contenders
 * need not agree. A lease that vanished while somebody held it still counts as held: its holder
 * learns of that only when it next renews.
 */
export const observe = (
  before: Observation | undefined,
  lease: Lease | undefined,
  now: number,
): Observation | undefined => {
  if (lease === undefined) return before;
  const spec = lease.spec ?? {};
  const isUnchanged = before && JSON.stringify(before.spec) === JSON.stringify(spec);
  return isUnchanged ? before : { spec, since: now };
};

/** When the holder, if it is somebody else, will have lost the lease unless it changes before that. */
export const freeAt = (observation: Observation | undefined, me: Holder): number => {
  const holder = holderOf(observation?.spec);
  if (observation === undefined || holder === NOBODY || holder === me.identity) return 0;
  const seconds = observation.spec.leaseDurationSeconds;
  return observation.since + (seconds === undefined ? me.leaseDurationMs : seconds * 1000);
};

/** The lease in the hands of this holder, whether it had it before or not. */
export const heldBy = (
  { identity, leaseDurationMs }: Holder,
  before: LeaseSpec | undefined,
  wallNow: number,
): LeaseSpec => {
  const time = formatMicroTime(wallNow);
  const renewed = holderOf(before) === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: renewed ? (before?.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: before === undefined || renewed ? transitions : transitions + 1,
  };
};

/** The lease in nobody's hands: whoever comes next need not wait. */
export const releasedLease = (before: LeaseSpec | undefined, wallNow: number): LeaseSpec => {
  const time = formatMicroTime(wallNow);
  return {
    holderIdentity: NOBODY,
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: before?.leaseTransitions ?? 0,
  };
};
