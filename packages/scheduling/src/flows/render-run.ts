import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import { isSimulated, type Operation } from './operation.ts';
import { type MoverSettings, renderMoverJob } from './render-mover-job.ts';
import { renderProcessJob } from './render-process-job.ts';
import type { RenderedRun } from './run-parts.ts';
import { datasetsOf } from './written-data.ts';

export interface RunWorld {
  /** Datasets of the namespace of the operation. */
  readonly findDataset: (name: string) => Dataset | undefined;
  readonly mover: MoverSettings;
  /** The path of the transfer from another cluster, if there is one. */
  readonly between?: OperationTransfer['path'] | undefined;
  /** The clusters that it may run in, if known. */
  readonly clusters?: readonly string[] | undefined;
}

/** A simulated pod, without orders. */
const playedRun: RenderedRun = {
  kind: 'run',
  podSpec: {
    restartPolicy: 'Never',
    containers: [{ name: 'mover', image: 'perigee-mover', command: ['perigee-mover'] }],
  },
  files: {},
};

/** The run of an operation, in a Job of the given name. */
export const renderRun = (
  operation: Operation,
  runName: string,
  { findDataset, mover, between, clusters }: RunWorld,
): RenderedRun => {
  const dataset = findDataset(datasetsOf(operation)[0] ?? '');
  if (operation.kind === 'DataProcess') {
    return renderProcessJob(operation as DataProcess, runName, { findDataset, clusters });
  }
  if (isSimulated(operation)) return playedRun;
  const copyOperation = operation as DataLoad | DataMigrate | DataBackup;
  if (between === undefined)
    return renderMoverJob(copyOperation, { dataset, findDataset, runName, mover, clusters });
  const transfer = { isStaged: between === 'Staging' };
  const run = renderMoverJob(copyOperation, { dataset, findDataset, runName, mover, transfer });
  // Its orders need the address of the server, and follow once that is known.
  return run.kind === 'refused' ? run : { ...run, files: {} };
};
