import { parentPort, workerData } from 'node:worker_threads';
import { fileDigest, TreeDigest } from '../digest/tree-digest.ts';
import { moveErrorOf, touching } from '../errors.ts';
import { assertUnchanged, textOfFile } from '../jobs/assert-unchanged.ts';
import { Counters } from '../jobs/counters.ts';
import {
  type Answer,
  fromWire,
  type Job,
  type Outcome,
  type PieceJob,
  type SmallFile,
  toWire,
  type WorkerData,
} from '../jobs/job.ts';
import { Transfer } from '../jobs/transfer.ts';
import type { Lane } from '../jobs/worker-ends.ts';
import { openWorkerEnds } from '../open/open-worker-ends.ts';
import { processClock } from '../process-clock.ts';

const data: WorkerData = workerData;
const counters = new Counters(data.counters);
const tree = new TreeDigest();
const { source, target, lanes: laneCount } = await openWorkerEnds(data, counters, processClock);
const lanes = Array.from(
  { length: laneCount },
  (_, at): Lane => ({ name: `${data.index}-${at}`, transfer: new Transfer(counters) }),
);

const doSmall = async (lane: Lane, file: SmallFile): Promise<Outcome> => {
  const stretch = { path: textOfFile(file), offset: 0, length: file.size };
  const { digest, copied } = await target.small(lane, file, stretch);
  const pieces = file.size === 0 ? [] : [fromWire(digest)];
  tree.addFile(fromWire(file.path), file.size, fileDigest(pieces));
  counters.addFile();
  return { digest: '', copied, differs: false };
};

/** Digest of a piece in the source. */
const digestPiece = async ({ transfer }: Lane, job: PieceJob): Promise<Outcome> => {
  const stretch = { path: textOfFile(job), ...job.piece };
  using from = await touching('source', stretch.path, () => source.open(job, stretch));
  const digest = await transfer.digest(from, 'source', stretch);
  await assertUnchanged(from, job);
  return { digest: toWire(digest), copied: false, differs: false };
};

/** Copies several files at a time where the worker waits for a server. */
const doFiles = async (files: readonly SmallFile[]): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  let next = 0;
  const failures: unknown[] = [];
  const run = async (lane: Lane): Promise<void> => {
    for (let at = next++; at < files.length && failures.length === 0; at = next++) {
      const file = files[at];
      try {
        if (file !== undefined) outcomes[at] = await doSmall(lane, file);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(lanes.map(run));
  if (failures.length > 0) throw failures[0];
  return outcomes;
};

const perform = async (job: Job): Promise<Answer> => {
  try {
    if (job.kind === 'files') return { ok: true, outcomes: await doFiles(job.files) };
    const { piece } = job;
    const [lane] = lanes;
    if (lane === undefined) throw new Error('a worker has a lane');
    const outcome =
      piece.do === 'digest'
        ? await digestPiece(lane, piece)
        : await target.piece(lane, piece, { path: textOfFile(piece), ...piece.piece });
    return { ok: true, outcomes: [outcome] };
  } catch (error) {
    const { reason, message, path } = moveErrorOf(error, 'target', '');
    return { ok: false, reason, message, ...(path !== undefined && { path }) };
  }
};

parentPort?.on('message', (job: Job | 'finish') => {
  if (job === 'finish') {
    parentPort?.postMessage(tree.lanes);
    source[Symbol.dispose]();
    target[Symbol.dispose]();
    parentPort?.close();
    return;
  }
  void perform(job).then((answer) => parentPort?.postMessage(answer));
});
