import type { ClaimCopy, CopiedInAll } from '@perigee/api/kinds/data/claim-copy';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { NewCondition } from '@perigee/api/values/conditions';
import { isOwnedBy } from '@perigee/api/values/owner-references';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { addUp, type CopyReason, copiedCondition, copiedText, isUnderWay } from './claim-copy.ts';
import { humanSize } from './human-size.ts';
import { type Operation, statusOf } from './operation.ts';
import { formatCost, numberOf } from './transfer-routes.ts';

/** The progress of a copy for a claim. */
export interface CopyProgress {
  readonly nowMs: number;
  readonly claim: DataSourceClaim;
  readonly copy: ClaimCopy;
  /** The operation named in the claim's status, as the server has it. */
  readonly operation: Operation | undefined;
  /** The cost of bringing bytes to the cluster from their present source, if it has a price. */
  readonly costOf: (bytes: number) => number | undefined;
}

/** The next step of a copy for a claim. */
export type CopyStep =
  /** Its operation must be created. */
  | { readonly kind: 'create' }
  /** It never started, and the facts of its decision no longer hold. */
  | { readonly kind: 'withdraw' }
  | {
      readonly kind: 'tell';
      readonly copy: ClaimCopy;
      readonly copied?: CopiedInAll;
      readonly condition: NewCondition<'DataSourceClaim'>;
      /** Its operation must be stopped. */
      readonly isStopped?: true;
    };

/** The limit that the present copy exceeds, together with earlier ones. */
const exceededLimit = ({
  claim: { spec, status },
  copy,
  operation,
  costOf,
}: CopyProgress): string | undefined => {
  const { copyLimit } = spec;
  const bytes = Number(operation?.status?.progress?.bytesTotal ?? copy.bytes);
  const { bytes: allBytes = 0, cost: allCost = '0' } = status?.copied ?? {};
  const leftBytes = (numberOf(copyLimit?.bytes) ?? 0) - Number(allBytes) + Number(copy.bytes);
  if (bytes > leftBytes) {
    return `it is ${humanSize(bytes)} by now, and the claim has ${humanSize(Math.max(0, leftBytes))} left to copy`;
  }
  const cost = costOf(bytes) ?? 0;
  const leftCost = (numberOf(copyLimit?.cost) ?? 0) - Number(allCost) + Number(copy.cost ?? 0);
  // Prices are written with six digits.
  return cost > leftCost * (1 + 1e-5)
    ? `it costs ${formatCost(cost)} by now, and the claim has ${formatCost(Math.max(0, leftCost))} left to spend`
    : undefined;
};

const endOf = (
  { claim, copy, nowMs }: CopyProgress,
  reason: CopyReason,
  message: string,
): Extract<CopyStep, { kind: 'tell' }> => ({
  kind: 'tell',
  copy: {
    ...copy,
    phase: reason === 'DataCopied' ? 'Complete' : 'Failed',
    completionTime: formatTime(nowMs),
  },
  condition: copiedCondition(claim, reason, message),
});

/**
 * A complete copy counts with the bytes actually copied instead of the planned ones. What an attempt that failed has
 * copied is not reported: after one, it counts with the planned ones at least.
 */
const complete = (progress: CopyProgress, operation: Operation): CopyStep => {
  const { claim, copy } = progress;
  const { clusters = [], attempts = 1 } = statusOf(operation);
  const result = clusters.find(({ name }) => name === copy.cluster)?.result;
  const copiedBytes = Number(result?.bytesCopied ?? copy.bytes);
  const isRetried = attempts > 1;
  const bytes = isRetried ? Math.max(copiedBytes, Number(copy.bytes)) : copiedBytes;
  const isCheaper = Number(result?.cost ?? 0) < Number(copy.cost ?? 0);
  const cost = isRetried && isCheaper ? copy.cost : (result?.cost ?? copy.cost);
  const finalCopy = { ...copy, bytes, ...present({ cost }) };
  return {
    ...endOf({ ...progress, copy: finalCopy }, 'DataCopied', copiedText(finalCopy)),
    copied: addUp(claim, {
      copies: 0,
      bytes: bytes - Number(copy.bytes),
      cost: Number(cost ?? 0) - Number(copy.cost ?? 0),
    }),
  };
};

const percentOf = (operation: Operation): string => {
  const { progress } = statusOf(operation);
  return progress?.percentage === undefined
    ? ''
    : `, ${Math.floor(progress.percentage / 10) * 10}%`;
};

const NOT_WANTED = 'the claim does not ask for copies any more';

/** The step for a copy whose operation is missing. */
const withoutOperation = (progress: CopyProgress): CopyStep | undefined => {
  const { claim, copy } = progress;
  if (!isUnderWay(copy)) return undefined;
  if (copy.phase === 'Copying') {
    return endOf(progress, 'CopyFailed', `the DataLoad ${copy.operation} was deleted`);
  }
  const isAsDecided = copy.generation === claim.metadata.generation;
  return { kind: isAsDecided ? 'create' : 'withdraw' };
};

/** The next step of a copy, by the state of its operation; undefined without a change. */
export const followCopy = (progress: CopyProgress): CopyStep | undefined => {
  const { claim, copy, operation } = progress;
  const name = `the DataLoad ${copy.operation}`;
  if (operation === undefined) return withoutOperation(progress);
  if (!isOwnedBy(operation, claim)) {
    const message = `${name} is there already, and is not the claim's`;
    return isUnderWay(copy) ? endOf(progress, 'CopyFailed', message) : undefined;
  }
  const { phase, conditions, transfer } = statusOf(operation);
  if (phase === 'Complete') return complete(progress, operation);
  if (phase === 'Failed' || operation.spec.cancel === true) {
    if (!isUnderWay(copy)) return undefined;
    const why = conditions[0]?.message ?? 'it was cancelled';
    return endOf(progress, 'CopyFailed', `${name} failed: ${why}`);
  }
  const tooMuch = claim.spec.onMissing === 'Copy' ? exceededLimit(progress) : NOT_WANTED;
  if (tooMuch !== undefined) {
    return {
      ...endOf(progress, 'CopyStopped', `${name} was stopped: ${tooMuch}`),
      isStopped: true,
    };
  }
  const from = transfer?.from ?? copy.from;
  const { completionTime: _, ...rest } = copy;
  const direction = `from ${from ?? 'its origin'} to ${copy.cluster}`;
  const message = `${name} copies it for ${copy.work}: ${humanSize(copy.bytes)} ${direction}${percentOf(operation)}`;
  return {
    kind: 'tell',
    copy: { ...rest, phase: 'Copying', ...present({ from }) },
    condition: copiedCondition(claim, 'Copying', message),
  };
};
