import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import { workReasons } from '@perigee/api/reasons/work-reasons';
import type { Finding } from './finding.ts';
import type { MemberState } from './snapshot.ts';
import { creationFinding } from './stages/member-stage.ts';
import { podFindings, sickPods } from './stages/pod-findings.ts';

/** A finding that a Work reports as its condition `Degraded`. */
export type MemberTrouble = Finding & { readonly reason: ReasonOf<'Work', 'Degraded'> };

/** Large programs take minutes to become ready, and rollouts replace pods for as long. */
const SLOW_START_MS = 8 * 60_000;

const isTrouble = (finding: Finding): finding is MemberTrouble =>
  finding.reason in workReasons.conditions.Degraded;

export interface Unwell {
  /** For how long the workload is not well. */
  readonly forMs: number;
  /** The cause that was reported of this version of it. */
  readonly reported?: string | undefined;
}

/**
 * The cause for which the pods of a workload in a member do not run, if it is to be reported: one that goes on is, one that
 * only looks different for a moment is not. A container that crashes, for example, also runs between its ends.
 */
export const newTrouble = (
  cluster: string,
  state: MemberState,
  { forMs, reported }: Unwell,
): MemberTrouble | undefined => {
  const creation = creationFinding(cluster, state);
  // Warnings outlive their cause by an hour, pods do not.
  const troubles = [
    ...podFindings(sickPods(cluster, state.pods, state.warnings)),
    ...(creation === undefined ? [] : [creation]),
  ].filter(isTrouble);
  if (troubles.some(({ reason }) => reason === reported)) return undefined;
  const isLate = reported === undefined && forMs >= SLOW_START_MS;
  return (
    troubles.find(({ reason }) => reason !== 'PodsNotReady') ?? (isLate ? troubles[0] : undefined)
  );
};
