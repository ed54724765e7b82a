import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { isSimulated, type Operation } from './operation.ts';
import { renderProcessJob } from './render-process-job.ts';
import type { RenderedRun } from './run-parts.ts';

/** A pod that is only played: it gets no order. */
const played: RenderedRun = {
  kind: 'run',
  podSpec: {
    restartPolicy: 'Never',
    containers: [{ name: 'mover', image: 'perigee-mover', command: ['perigee-mover'] }],
  },
  files: {},
};

/** What an operation runs, in a Job of a name. */
export const renderRun = (operation: Operation, name: string): RenderedRun => {
  if (operation.kind === 'DataProcess') return renderProcessJob(operation as DataProcess, name);
  if (isSimulated(operation)) return played;
  const message = `a ${operation.kind} can only be simulated here: nothing copies data yet`;
  return { kind: 'refused', reason: 'NotSupported', message };
};
