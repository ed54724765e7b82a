import type { MoverClock } from '../clock.ts';
import type { Counters } from '../jobs/counters.ts';
import type { WorkerData } from '../jobs/job.ts';
import type { SourceFiles, TargetFiles } from '../jobs/worker-ends.ts';
import { LocalTargetFiles, localSourceFiles } from '../local/local-files.ts';
import type { Place } from '../place.ts';

/** Files that a worker has under way at a time: where it waits for a server, several. */
const REMOTE_LANES = 8;

export const lanesOf = ({ from, to }: Pick<WorkerData, 'from' | 'to'>): number =>
  from.kind === 'local' && to.kind === 'local' ? 1 : REMOTE_LANES;

/** The content of the files of a source. Each thread loads only what it needs: that is most of how it starts. */
export const openSourceFiles = async (
  from: Place,
  counters: Counters,
  clock: MoverClock,
): Promise<SourceFiles> => {
  const retries = {
    clock,
    onRetry: (problem: string) => counters.addRetry(problem),
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

/** Writes the files of a target; `parts` is the folder of those that have no name yet. */
export const openTargetFiles = async (
  { to, flush, damageReason }: WorkerData,
  source: SourceFiles,
  parts: Promise<Buffer>,
  counters: Counters,
  clock: MoverClock,
): Promise<TargetFiles> => {
  if (to.kind === 'local') {
    return new LocalTargetFiles({ source, parts: await parts, flush, damageReason, counters });
  }
  const { S3TargetFiles } = await import('../s3/s3-files.ts');
  const { openS3Client } = await import('../s3/s3-place.ts');
  const client = openS3Client(to, 'target', counters, clock);
  return new S3TargetFiles({ client, source, damageReason, counters });
};
