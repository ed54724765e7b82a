import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import type { OperationClusterState } from '@perigee/api/kinds/flows/operation-status';
import { parseTime } from '@perigee/schema/values/time';
import { isOverIn } from './cluster-states.ts';
import { type DatasetUse, datasetUses } from './dataset-uses.ts';
import { isTerminal, type Operation, statusOf } from './operation.ts';

/** An operation that brought data of a dataset to a cluster, or will. */
export interface CopyEvent extends DatasetUse {
  readonly cluster: string;
  readonly state: OperationClusterState;
  /** As kind/name. */
  readonly operation: string;
  readonly uid: string;
  readonly startedMs: number;
  /** NaN until it ends. */
  readonly endedMs: number;
  readonly isSimulated: boolean;
  /** True if the operation works on it, or will. */
  readonly isUnderWay: boolean;
}

const timeOf = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : parseTime(text);

/** The changes of a dataset by an operation, one per cluster. Readers change nothing. */
export const copyEvents = (dataset: string, operation: Operation): readonly CopyEvent[] => {
  const { kind, metadata, status } = operation;
  const uses = datasetUses(operation).filter((use) => use.dataset === dataset);
  return uses
    .filter(({ does }) => does !== 'read')
    .flatMap((use) =>
      (status?.clusters ?? []).map((state): CopyEvent => {
        const startedMs = timeOf(state.startTime, parseTime(metadata.creationTimestamp));
        return {
          ...use,
          cluster: state.name,
          state,
          operation: `${kind}/${metadata.name}`,
          uid: metadata.uid,
          startedMs,
          endedMs:
            state.phase === 'Complete' ? timeOf(state.completionTime, startedMs) : Number.NaN,
          isSimulated: state.reason === 'Simulated',
          // An operation that was stopped keeps the last report of each cluster.
          isUnderWay: !isTerminal(statusOf(operation)) && !isOverIn(state),
        };
      }),
    );
};

/** The time and the operation of a change to data, by which changes are ordered. */
interface Moment {
  readonly atMs: number;
  readonly operation: string;
  readonly uid: string;
}

/** Times are exact to the second. Within one second, changes come before loads. */
const isLoad = ({ operation }: Moment): number => (operation.startsWith('DataLoad/') ? 1 : 0);

const compare = (a: Moment, b: Moment): number =>
  a.atMs - b.atMs || isLoad(a) - isLoad(b) || (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0);

const momentOf = ({ endedMs, operation, uid }: CopyEvent): Moment => ({
  atMs: endedMs,
  operation,
  uid,
});

export const inOrder = (a: CopyEvent, b: CopyEvent): number => compare(momentOf(a), momentOf(b));

interface RecordedCopy {
  readonly operation?: string | undefined;
  readonly operationUid?: string | undefined;
}

/** True if an event is later than the recorded state. */
export const isChange = (
  event: CopyEvent,
  time: string | undefined,
  { operation = '', operationUid = '' }: RecordedCopy | DatasetCopy,
): boolean =>
  time === undefined ||
  compare(momentOf(event), { atMs: parseTime(time), operation, uid: operationUid }) > 0;
