import type { OperationStatus, OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import type { RunReport } from './cluster-states.ts';
import type { FindOperation } from './find-cycle.ts';
import type { OperationKey } from './operation.ts';
import type { Word } from './operation-conditions.ts';
import type { Refusal } from './validate-operation.ts';

/** The inputs of an operation's next step. Functions are evaluated on demand. */
export interface OperationFacts {
  readonly nowMs: number;
  readonly find: FindOperation;
  /** True if another operation has yet to notice its completion, or a dataset its data. */
  readonly isAwaited: () => boolean;
  readonly missingDataset: () => string | undefined;
  /** Another writer of the same data, which goes first. */
  readonly writerAhead: () => OperationKey | undefined;
  /** The reason why there can be no Job for it. */
  readonly refusal: () => Refusal | undefined;
  /** The placement; its status is False if no cluster can run the operation. */
  readonly placementWord: () => Word<'Placed'>;
  /** The only cluster that it may go to, if there is just one. */
  readonly onlyCluster?: () => string | undefined;
  /** The source of the data, if that is another cluster. */
  readonly transfer?: () => OperationTransfer | undefined;
  /** The cost of bringing bytes from their cluster to another one; undefined without a price. */
  readonly costOf?: (cluster: string, bytes: number) => number | undefined;
  /** The reason why the other cluster stopped serving it, if it did. */
  readonly servingFailure?: () => Refusal | undefined;
  /** The report of this attempt's Job; absent without a Job. */
  readonly report: RunReport | undefined;
  /** The placement by the binding of the Job, if it is new. */
  readonly placedWord: Word<'Placed'> | undefined;
}

export interface OperationStep {
  readonly status: OperationStatus;
  /** The desired state of this attempt's Job. */
  readonly job: 'wanted' | 'kept' | 'unwanted';
  /** Its TTL has expired: delete it. */
  readonly isExpired: boolean;
  /** The delay until the next check without an event; Infinity for none. */
  readonly nextMs: number;
}

/** A step that keeps the Job and needs no recheck, unless `more` has one. */
export const stay = (
  status: OperationStatus,
  more: Partial<Omit<OperationStep, 'status'>> = {},
): OperationStep => ({ status, job: 'kept', isExpired: false, nextMs: Infinity, ...more });
