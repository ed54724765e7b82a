import type { Condition } from '@perigee/api/meta/condition';
import type { NewCondition } from '@perigee/api/values/conditions';

/** An agent's observed heartbeat, and when our clock first saw it. */
export interface Heartbeat {
  readonly renewTime: string;
  /** Fingerprint of the Ready condition. */
  readonly statement: string;
  readonly sinceMs: number;
}

export interface HeartbeatLimits {
  /** The maximum silence of an agent. */
  readonly graceMs: number;
  /** The time a new agent may take until its first heartbeat. */
  readonly startupGraceMs: number;
}

const statementOf = (ready: Condition | undefined): string =>
  ready === undefined ? '' : JSON.stringify([ready.status, ready.reason, ready.lastTransitionTime]);

/**
 * The heartbeat after reading the agent's lease and condition. Only a change counts, timed by our
 * own clock: the agent's clock may be wrong.
 */
export const heartbeatAfter = (
  before: Heartbeat | undefined,
  { renewTime = '', ready }: { readonly renewTime?: string; readonly ready?: Condition },
  { nowMs, createdMs }: { readonly nowMs: number; readonly createdMs: number },
): Heartbeat => {
  const statement = statementOf(ready);
  if (before?.renewTime === renewTime && before.statement === statement) return before;
  const isNeverHeard = before === undefined && renewTime === '' && statement === '';
  return { renewTime, statement, sinceMs: isNeverHeard ? createdMs : nowMs };
};

/** The remaining time before an agent counts as silent; zero or negative once it does. */
export const silenceLeftMs = (
  { sinceMs, statement }: Heartbeat,
  nowMs: number,
  { graceMs, startupGraceMs }: HeartbeatLimits,
): number => sinceMs + (statement === '' ? startupGraceMs : graceMs) - nowMs;

/** The Ready condition of a cluster whose agent is silent. */
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
