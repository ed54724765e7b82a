import type { OperationStatus, OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import type { RunReport } from './cluster-states.ts';
import type { FindOperation } from './find-cycle.ts';
import type { OperationKey } from './operation.ts';
import type { Word } from './operation-conditions.ts';
import type { Refusal } from './validate-operation.ts';

/** What the next step of an operation depends on beside itself. What is a function is only asked if need be. */
export interface OperationFacts {
  readonly nowMs: number;
  readonly find: FindOperation;
  /** Whether another operation still has to see that this one is complete. */
  readonly isAwaited: () => boolean;
  readonly missingDataset: () => string | undefined;
  /** Another operation that writes the same data, and goes first. */
  readonly writerAhead: () => OperationKey | undefined;
  /** Why there can be no Job for it. */
  readonly refusal: () => Refusal | undefined;
  /** Where it is to run; its status is False when it can run nowhere. */
  readonly placing: () => Word<'Placed'>;
  /** The cluster that it goes to, if it may go to one alone. */
  readonly onlyCluster?: () => string | undefined;
  /** Where its data comes from, when that is another cluster. */
  readonly transfer?: () => OperationTransfer | undefined;
  /** What it costs to get bytes from the cluster that has them to another one; nothing without a price. */
  readonly costOf?: (cluster: string, bytes: number) => number | undefined;
  /** Why the other cluster does not serve it any more, though it should. */
  readonly servingFailure?: () => Refusal | undefined;
  /** What became of the Job of this attempt; absent while there is none. */
  readonly report: RunReport | undefined;
  /** What the binding of the Job says, when that is news about where it runs. */
  readonly placed: Word<'Placed'> | undefined;
}

export interface OperationStep {
  readonly status: OperationStatus;
  /** What has to be there of the Job of this attempt. */
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
