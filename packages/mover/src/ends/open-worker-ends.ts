import type { MoverClock } from '../clock.ts';
import type { Counters } from '../copy/counters.ts';
import { fromWire, type WorkerData } from '../copy/job.ts';
import { httpSourceFiles } from '../http/http-files.ts';
import { LocalTargetFiles, localSourceFiles } from '../local/local-files.ts';
import { peerSourceFiles } from '../peer/peer-files.ts';
import type { Place } from '../place.ts';
import { S3TargetFiles, s3SourceFiles } from '../s3/s3-files.ts';
import { openS3Client } from '../s3/s3-place.ts';
import type { SourceFiles, TargetFiles } from './worker-ends.ts';

/** Files that a worker has under way at a time: where it waits for a server, several. */
const REMOTE_LANES = 8;

export interface WorkerEnds {
  readonly source: SourceFiles;
  readonly target: TargetFiles;
  readonly lanes: number;
}

/** The content of the files of a source. */
export const openSourceFiles = (
  from: Place,
  counters: Counters,
  clock: MoverClock,
): SourceFiles => {
  const retries = {
    clock,
    onRetry: () => counters.addRetry(),
    isStopped: () => counters.isStopped,
  };
  switch (from.kind) {
    case 'local':
      return localSourceFiles;
    case 's3':
      return s3SourceFiles(openS3Client(from, 'source', counters, clock), retries);
    case 'http':
      return httpSourceFiles(from, retries);
    case 'peer':
      return peerSourceFiles(from, retries);
  }
};

/** Both ends of an order, as a worker reaches them. */
export const openWorkerEnds = (
  data: WorkerData,
  counters: Counters,
  clock: MoverClock,
): WorkerEnds => {
  const { from, to, flush } = data;
  const source = openSourceFiles(from, counters, clock);
  const target: TargetFiles =
    to.kind === 's3'
      ? new S3TargetFiles(openS3Client(to, 'target', counters, clock), source, counters)
      : new LocalTargetFiles({ source, parts: fromWire(data.partsAddress), flush, counters });
  const isLocal = from.kind === 'local' && to.kind === 'local';
  return { source, target, lanes: isLocal ? 1 : REMOTE_LANES };
};
