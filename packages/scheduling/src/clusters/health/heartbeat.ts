import type { Condition } from '@perigee/api/meta/condition';
import type { NewCondition } from '@perigee/api/values/conditions';

/** What there is to see of an agent, and since when it looks like that by our own clock. */
export interface Heartbeat {
  readonly renewTime: string;
  /** What the Ready condition says. */
  readonly said: string;
  readonly sinceMs: number;
}

export interface HeartbeatLimits {
  /** How long an agent may be silent. */
  readonly graceMs: number;
  /** How long a new one may take to say its first word. */
  readonly startupGraceMs: number;
}

const saidBy = (ready: Condition | undefined): string =>
  ready === undefined ? '' : JSON.stringify([ready.status, ready.reason, ready.lastTransitionTime]);

/**
 * What is known of an agent after a look at its lease and condition. Only a change counts, by our own
 * clock: what the agent's clock says would mislead if it were wrong.
 */
export const heartbeatAfter = (
  before: Heartbeat | undefined,
  { renewTime = '', ready }: { readonly renewTime?: string; readonly ready?: Condition },
  { nowMs, createdMs }: { readonly nowMs: number; readonly createdMs: number },
): Heartbeat => {
  const said = saidBy(ready);
  if (before?.renewTime === renewTime && before.said === said) return before;
  const isNeverHeard = before === undefined && renewTime === '' && said === '';
  return { renewTime, said, sinceMs: isNeverHeard ? createdMs : nowMs };
};

/** How much longer an agent may be silent; nothing or less when it has been for too long. */
export const silenceLeftMs = (
  { sinceMs, said }: Heartbeat,
  nowMs: number,
  { graceMs, startupGraceMs }: HeartbeatLimits,
): number => sinceMs + (said === '' ? startupGraceMs : graceMs) - nowMs;

/** What counts of a cluster whose agent keeps silent. */
export const silentCondition = (
  ready: Condition | undefined,
): NewCondition<'MemberCluster', 'Ready'> =>
  ready === undefined
    ? {
        type: 'Ready',
        status: 'Unknown',
        reason: 'ClusterStatusNeverUpdated',
        message: 'Cluster status controller never posted cluster status.',
      }
    : {
        type: 'Ready',
        status: 'Unknown',
        reason: 'ClusterStatusUnknown',
        message: 'Cluster status controller stopped posting cluster status.',
      };
