import { createHash } from 'node:crypto';
import type { ClaimCopy, CopiedInAll } from '@perigee/api/kinds/data/claim-copy';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import type { NewCondition } from '@perigee/api/values/conditions';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { formatDuration } from '@perigee/schema/values/duration';
import { formatTime } from '@perigee/schema/values/time';
import { shorten } from '../data/describe-data.ts';
import { type DataChoice, type DataPlanFacts, planData } from './data-plan.ts';
import { humanSize } from './human-size.ts';
import { isTerminal, type Operation, policyOf, statusOf } from './operation.ts';
import { reasonIn } from './operation-conditions.ts';
import { formatCost } from './transfer-routes.ts';

export type CopyReason = ReasonOf<'DataSourceClaim', 'Copied'>;

/** The copy status of a claim, and the time of the next check if nothing changes. */
export interface CopyDecision {
  readonly condition: NewCondition<'DataSourceClaim'>;
  /** Present if a copy is to be started. */
  readonly copy?: ClaimCopy;
  readonly copied?: CopiedInAll;
  readonly nextMs?: number;
}

/** The inputs of the decision about a copy for a claim. */
export interface CopyFacts {
  readonly nowMs: number;
  readonly claim: DataSourceClaim;
  /** True if work waits for the claim. */
  readonly isAwaited: boolean;
  /** Another operation that is bringing the data to a cluster. */
  readonly arrivingOperation: Operation | undefined;
  /** Clusters with a complete copy that the claim's status does not show yet. */
  readonly unregisteredClusters: readonly string[];
  readonly plan: () => DataPlanFacts;
}

const LONGEST_MESSAGE = 1000;
const LONGEST_NAME = 63;
/** Events cover most changes; free room changes without any. */
const RECHECK_MS = 30_000;

export const isUnderWay = (copy: ClaimCopy | undefined): boolean =>
  copy?.phase === 'Planned' || copy?.phase === 'Copying';

export const copiedCondition = (
  { metadata: { generation } }: DataSourceClaim,
  reason: CopyReason,
  message: string,
): NewCondition<'DataSourceClaim'> => ({
  type: 'Copied',
  status: reason === 'DataCopied' ? 'True' : 'False',
  reason,
  message: shorten(message, LONGEST_MESSAGE),
  ...present({ observedGeneration: generation }),
});

export const copiedText = ({ bytes, cluster }: ClaimCopy): string =>
  `${humanSize(bytes)} were copied to ${cluster}`;

/** Reasons that block an operation until a user intervenes: nothing is being copied. */
const STUCK: ReadonlySet<string | undefined> = new Set([
  'PredecessorFailed',
  'PredecessorMissing',
  'Cycle',
  'NothingStartsIt',
  'Suspended',
  'WaitingForSchedule',
]);

/** True if an operation will do its work without intervention. */
export const isBringing = (operation: Operation): boolean => {
  const status = statusOf(operation);
  if (isTerminal(status) || operation.metadata.deletionTimestamp !== undefined) return false;
  if (status.phase === 'Executing') return true;
  return policyOf(operation) === 'Once' && !STUCK.has(reasonIn(status.conditions, 'Started'));
};

const NO_COPIES: CopiedInAll = { copies: 0, bytes: 0, cost: '0' };

/** The totals of all copies, with one more, or with a new amount for the last one. */
export const addUp = (
  { status }: DataSourceClaim,
  more: { readonly copies: number; readonly bytes: number; readonly cost: number },
): CopiedInAll => {
  const { copies, bytes, cost } = status?.copied ?? NO_COPIES;
  return {
    copies: copies + more.copies,
    bytes: Math.max(0, Math.round(Number(bytes) + more.bytes)),
    cost: formatCost(Math.max(0, Number(cost) + more.cost)),
  };
};

/** A descriptive name, unique among the copies of all claims. */
const nameOf = (claim: DataSourceClaim, dataset: string, cluster: string): string => {
  const number = (claim.status?.copied?.copies ?? 0) + 1;
  const digest = createHash('sha256').update(`${claim.metadata.uid}/${number}`).digest('hex');
  const end = `-${digest.slice(0, 10)}`;
  const start = `${dataset}-to-${cluster}`.replaceAll('.', '-');
  return `${start.slice(0, LONGEST_NAME - end.length).replace(/-+$/, '')}${end}`;
};

const copyText = ({ from, clusters, bytes = 0, seconds = 0, cost }: DataChoice): string => {
  const money = cost === undefined ? '' : `, for ${formatCost(cost)}`;
  const source = from === 'origin' ? 'its origin' : from;
  return `${humanSize(bytes)} from ${source} to ${clusters.join(', ')}, about ${formatDuration(seconds * 1000)}${money}`;
};

const copyDecision = (
  { claim, nowMs }: CopyFacts,
  best: DataChoice,
  work: string,
  dataset: string,
): CopyDecision => {
  const [cluster = ''] = best.clusters;
  const { from, bytes = 0, cost } = best;
  const operation = nameOf(claim, dataset, cluster);
  return {
    copy: {
      operation,
      phase: 'Planned',
      cluster,
      ...present({ from: from === 'origin' ? undefined : from }),
      bytes,
      ...present({ cost: cost === undefined ? undefined : formatCost(cost) }),
      work,
      startTime: formatTime(nowMs),
      generation: claim.metadata.generation ?? 0,
    },
    copied: addUp(claim, { copies: 1, bytes, cost: cost ?? 0 }),
    condition: copiedCondition(
      claim,
      'Copying',
      `the DataLoad ${operation} copies it for ${work}: ${copyText(best)}`,
    ),
  };
};

/** Decides whether data is copied for a claim, with the reason, from the best plan for its data. */
export const decideCopy = (facts: CopyFacts): CopyDecision => {
  const { claim, isAwaited, arrivingOperation, unregisteredClusters, plan } = facts;
  const decision = (reason: CopyReason, message: string, nextMs?: number): CopyDecision => ({
    condition: copiedCondition(claim, reason, message),
    ...present({ nextMs }),
  });
  if (!isAwaited) {
    const { copy } = claim.status ?? {};
    return copy?.phase === 'Complete'
      ? decision('DataCopied', copiedText(copy))
      : decision('NothingWaits', 'no work waits because of it');
  }
  const planFacts = plan();
  const { dataset, waitedSeconds = 0 } = planFacts;
  if (dataset === undefined) {
    const message = `it is not about a Dataset that is in the namespace ${claim.metadata.namespace}, and nothing else can be copied`;
    return decision('NotADataset', message);
  }
  if (arrivingOperation !== undefined) {
    const { kind, metadata } = arrivingOperation;
    return decision('OnItsWay', `${kind} ${metadata.name} brings it to a cluster just now`);
  }
  if (unregisteredClusters.length > 0) {
    return decision(
      'OnItsWay',
      `it has just come to ${unregisteredClusters.join(', ')}`,
      RECHECK_MS,
    );
  }
  const { best, choices, work, message = '' } = planData(planFacts);
  const allowedCopy = choices.find((one) => one.does === 'Copy' && one.overLimit === undefined);
  if (best === undefined) {
    const isOver = choices.some(({ overLimit }) => overLimit !== undefined);
    return decision(isOver ? 'OverLimit' : 'NoChoice', message, RECHECK_MS);
  }
  switch (best.does) {
    case 'Run': {
      const where = best.clusters.join(', ');
      const message =
        best.together === undefined
          ? `${work} can run in ${where}`
          : `it is in ${where}, where the other data of ${work} can be copied to`;
      return decision('NotNeeded', message, RECHECK_MS);
    }
    case 'Wait': {
      const seconds = allowedCopy?.seconds;
      const then =
        allowedCopy === undefined || seconds === undefined
          ? ''
          : `; it is copied to ${allowedCopy.clusters.join(', ')} once the work has waited for ${formatDuration(seconds * 1000)}, as long as that takes`;
      const leftMs = ((seconds ?? Number.POSITIVE_INFINITY) - waitedSeconds + 1) * 1000;
      return decision(
        'WaitingIsSooner',
        `${work} waits for room in ${best.clusters.join(', ')}${then}`,
        Math.max(1000, Math.min(RECHECK_MS, leftMs)),
      );
    }
    case 'Copy':
      return copyDecision(facts, best, work, dataset);
    default:
      return best.does satisfies never;
  }
};

/** The DataLoad of a decision. Its owner is the claim. */
export const copyOperation = (
  claim: DataSourceClaim,
  { operation, cluster }: ClaimCopy,
  dataset: string,
): JsonObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: {
    namespace: claim.metadata.namespace ?? '',
    name: operation,
    ownerReferences: [{ ...ownerReferenceTo(claim, { controller: true }) }],
  },
  spec: {
    dataset: { name: dataset },
    placement: { clusterAffinity: { clusterNames: [cluster] } },
  },
});
