import type { Condition } from '@perigee/api/meta/condition';
import { findCondition } from '@perigee/api/values/conditions';
import { formatTime } from '@perigee/schema/values/time';
import { carriedDataOf, HELD_FOR } from '../../data/data-marks.ts';
import { claimedData } from '../../data/describe-data.ts';
import type { Binding } from '../../placement/binding/binding.ts';
import { queuedWorkOf } from '../../placement/binding/queue-marks.ts';
import type { Finding, StageReason } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

/** Unbound claims, each with the message of its own condition. */
const unboundClaims = (snapshot: WorkSnapshot) =>
  read(snapshot.claims, [])
    .filter(({ status }) => status?.boundDataSource === undefined)
    .map((claim) => {
      const boundCondition = findCondition(claim.status?.conditions, 'Bound');
      return {
        claim: claim.metadata.name,
        data: claimedData(claim),
        reason: boundCondition?.reason ?? 'NotDecided',
        message: boundCondition?.message ?? 'no controller has looked at it yet',
      };
    });

const dataFinding = (admission: Condition, snapshot: WorkSnapshot, isPlaced: boolean): Finding => {
  const claims = unboundClaims(snapshot);
  const [first] = claims;
  const why = first === undefined ? '' : ` (claim ${first.claim}: ${first.message})`;
  const what =
    first === undefined
      ? admission.message
      : `waits for ${claims.map(({ data }) => data).join(', ')}`;
  return {
    stage: 'data',
    reason: 'WaitingForData',
    severity: isPlaced ? 'degrades' : 'holds',
    by: 'claim',
    message: `${what}${why}`,
    since: admission.lastTransitionTime,
    details: { claims },
  };
};

/** Shows the present position in the queue, as the one in the condition may be stale. */
const PLACE = /; number \d+ in line at .*$/;

const queueFinding = (
  admission: Condition,
  queuedWork: { readonly queue: string; readonly since: number },
  snapshot: WorkSnapshot,
  isPlaced: boolean,
): Finding => {
  const place = snapshot.queue === undefined ? undefined : read(snapshot.queue, undefined);
  const reason = (place?.reason ?? admission.reason) as StageReason;
  const text = place?.message ?? admission.message.replace(PLACE, '');
  const { position, inLine } = place ?? {};
  const line =
    position === undefined ? '' : `; number ${position} of ${inLine ?? position} in line`;
  const isUsers = reason === 'Suspended';
  return {
    stage: isUsers ? 'suspension' : 'queue',
    reason,
    severity: isPlaced ? 'degrades' : 'holds',
    by: isUsers ? 'user' : 'queue',
    message: `${text}${line}`,
    since: queuedWork.since > 0 ? formatTime(queuedWork.since) : admission.lastTransitionTime,
    details: {
      queue: queuedWork.queue,
      ...(position === undefined ? {} : { position, inLine: inLine ?? position }),
    },
  };
};

const isSuspendedByUser = ({ metadata, spec }: Binding): boolean =>
  spec.suspension?.scheduling === true && metadata.annotations?.[HELD_FOR] === undefined;

/** Deliberate holds on scheduling: data, a queue, a user. */
export const gateStage = (snapshot: WorkSnapshot, isPlaced: boolean): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined) return [];
  const { metadata, spec, status } = binding;
  const admission = findCondition(status?.conditions, 'Admitted');
  const queuedWork = queuedWorkOf(metadata);
  const findings: Finding[] = [];
  if (admission?.status === 'False') {
    const isData = admission.reason === 'WaitingForData' || queuedWork === undefined;
    findings.push(
      isData
        ? dataFinding(admission, snapshot, isPlaced)
        : queueFinding(admission, queuedWork, snapshot, isPlaced),
    );
  } else if (spec.suspension?.scheduling === true && !isSuspendedByUser(binding)) {
    const data = carriedDataOf(metadata).map((one) => one.data);
    const what = queuedWork === undefined ? data.join(', ') : `the queue ${queuedWork.queue}`;
    findings.push({
      stage: queuedWork === undefined ? 'data' : 'queue',
      reason: queuedWork === undefined ? 'WaitingForData' : 'WaitingForTurn',
      severity: isPlaced ? 'degrades' : 'holds',
      by: queuedWork === undefined ? 'claim' : 'queue',
      message: `it is held for ${what || 'its claims'}, and nobody has said more yet`,
    });
  }
  if (isSuspendedByUser(binding) && admission?.reason !== 'Suspended') {
    findings.push({
      stage: 'suspension',
      reason: 'SchedulingSuspended',
      severity: isPlaced ? 'degrades' : 'holds',
      by: 'user',
      message: `a user has suspended its scheduling: spec.suspension.scheduling of the binding ${metadata.name} is true`,
    });
  }
  return findings;
};
