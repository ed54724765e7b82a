import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import type { Operation } from './operation.ts';
import { OPERATION, operationLabel, runName } from './operation-run-objects.ts';
import { type MoverSettings, movesIn } from './render-mover-job.ts';
import type { MountedPlace } from './storage-place.ts';
import { datasetsOf } from './written-data.ts';

export interface TransferWorld {
  readonly findDataset: (name: string) => Dataset | undefined;
  readonly mover: MoverSettings;
}

/** The transfer between clusters of one attempt. */
export interface Transfer {
  readonly operation: Operation;
  readonly attempt: number;
}

export const SERVES = 'flows.perigee.io/serves';
const LONGEST_NAME = 63;

/** The name of the server of an attempt; the first has number 0. */
export const servingName = ({ operation, attempt }: Transfer, server = 0): string => {
  const start = 'serve-';
  const end = server === 0 ? '' : `-${server}`;
  const most = LONGEST_NAME - start.length - end.length;
  return `${start}${runName(operation, attempt).slice(-most)}${end}`;
};

export const metadataOf = (transfer: Transfer, name: string): JsonObject => {
  const { namespace = '', uid } = transfer.operation.metadata;
  const label = operationLabel(transfer.operation);
  return { namespace, name, uid, labels: { [OPERATION]: label, [SERVES]: 'true' } };
};

/** An operation that can read the data of another cluster. */
export type TransferOperation = DataLoad | DataMigrate;

export const datasetOf = ({ operation }: Transfer, { findDataset }: TransferWorld) =>
  findDataset(datasetsOf(operation)[0] ?? '');

export const servedTrees = (transfer: Transfer, world: TransferWorld): readonly MountedPlace[] => {
  const { operation, attempt } = transfer;
  const plannedMoves = movesIn(operation as TransferOperation, {
    dataset: datasetOf(transfer, world),
    findDataset: world.findDataset,
    runName: runName(operation, attempt),
    mover: world.mover,
    transfer: {},
  });
  return plannedMoves.kind === 'refused' ? [] : plannedMoves.trees;
};
