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
  /** True if another operation has yet to notice its completion. */
  readonly isAwaited: () => boolean;
  readonly missingDataset: () => string | undefined;
  /** Another operation that writes the same data, and goes first. */
  readonly writerAhead: () => OperationKey | undefined;
  /** Why there can be no Job for it. */
  readonly refusal: () => Refusal | undefined;
  /** The placement; its status is False when the operation can run nowhere. */
  readonly placing: () => Word<'Placed'>;
  /** The cluster that it goes to, if it may go to one alone. */
  readonly onlyCluster?: () => string | undefined;
  /** The source of the data, if that is another cluster. */
  readonly transfer?: () => OperationTransfer | undefined;
  /** The cost of bringing bytes from their cluster to another one; undefined without a price. */
  readonly costOf?: (cluster: string, bytes: number) => number | undefined;
  /** Why the other cluster does not serve it any more, though it should. */
  readonly servingFailure?: () => Refusal | undefined;
  /** The report of this attempt's Job; absent without a Job. */
  readonly report: RunReport | undefined;
  /** The placement by the binding of the Job, if it is new. */
  readonly placed: Word<'Placed'> | undefined;
}

export interface OperationStep {
  readonly status: OperationStatus;
  /** The desired state of this attempt's Job. */
  readonly job: 'wanted' | 'kept' | 'unwanted';
  /** Its time is up, and it is to be deleted. */
  readonly isExpired: boolean;
  /** When to look again though nothing happens; Infinity for never. */
  readonly nextMs: number;
}

/** Nothing changes, and nothing will by itself. */
export const stay = (
  status: OperationStatus,
  more: Partial<Omit<OperationStep, 'status'>> = {},
): OperationStep => ({ status, job: 'kept', isExpired: false, nextMs: Infinity, ...more });
