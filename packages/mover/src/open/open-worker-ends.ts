import type { MoverClock } from '../clock.ts';
import type { Counters } from '../jobs/counters.ts';
import { fromWire, type WorkerData } from '../jobs/job.ts';
import type { SourceFiles, TargetFiles } from '../jobs/worker-ends.ts';
import { LocalTargetFiles, localSourceFiles } from '../local/local-files.ts';
import type { Place } from '../place.ts';

/** Files that a worker has under way at a time: where it waits for a server, several. */
const REMOTE_LANES = 8;

export interface WorkerEnds {
  readonly source: SourceFiles;
  readonly target: TargetFiles;
  readonly lanes: number;
}

/** The content of the files of a source. Each thread loads only what it needs: that is most of how it starts. */
export const openSourceFiles = async (
  from: Place,
  counters: Counters,
  clock: MoverClock,
): Promise<SourceFiles> => {
  const retries = {
    clock,
    onRetry: () => counters.addRetry(),
    isStopped: () => counters.isStopped,
  };
  switch (from.kind) {
    case 'local':
      return localSourceFiles;
    case 's3': {
      const { s3SourceFiles } = await import('../s3/s3-files.ts');
      const { openS3Client } = await import('../s3/s3-place.ts');
      return s3SourceFiles(openS3Client(from, 'source', counters, clock), retries);
    }
    case 'http': {
      const { httpSourceFiles } = await import('../http/http-files.ts');
      return httpSourceFiles(from, retries);
    }
    case 'peer': {
      const { peerSourceFiles } = await import('../peer/peer-files.ts');
      return peerSourceFiles(from, retries);
    }
  }
};

const openTargetFiles = async (
  { to, flush, partsAddress }: WorkerData,
  source: SourceFiles,
  counters: Counters,
  clock: MoverClock,
): Promise<TargetFiles> => {
  if (to.kind === 'local') {
    return new LocalTargetFiles({ source, parts: fromWire(partsAddress), flush, counters });
  }
  const { S3TargetFiles } = await import('../s3/s3-files.ts');
  const { openS3Client } = await import('../s3/s3-place.ts');
  return new S3TargetFiles(openS3Client(to, 'target', counters, clock), source, counters);
};

/** Both ends of an order, as a worker reaches them. */
export const openWorkerEnds = async (
  data: WorkerData,
  counters: Counters,
  clock: MoverClock,
): Promise<WorkerEnds> => {
  const { from, to } = data;
  const source = await openSourceFiles(from, counters, clock);
  const target = await openTargetFiles(data, source, counters, clock);
  const isLocal = from.kind === 'local' && to.kind === 'local';
  return { source, target, lanes: isLocal ? 1 : REMOTE_LANES };
};
