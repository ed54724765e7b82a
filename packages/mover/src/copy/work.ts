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
  type ToWorker,
  toWire,
  type WorkerData,
} from '../jobs/job.ts';
import { Transfer } from '../jobs/transfer.ts';
import type { Lane } from '../jobs/worker-ends.ts';
import { lanesOf, openSourceFiles, openTargetFiles } from '../open/open-worker-ends.ts';
import { processClock } from '../process-clock.ts';

const data: WorkerData = workerData;
const counters = new Counters(data.counters);
const tree = new TreeDigest();
const { promise: parts, resolve: begin } = Promise.withResolvers<Buffer>();
// Whoever starts this thread may still be scanning the trees.
const opened = (async () => {
  const source = await openSourceFiles(data.from, counters, processClock);
  const target = await openTargetFiles(data, source, parts, counters, processClock);
  return { source, target };
})();
// The first job reports it.
opened.catch(() => {});

/** Lanes that do nothing, and what waits for one. */
const idle = Array.from(
  { length: lanesOf(data) },
  (_, at): Lane => ({ name: `${data.index}-${at}`, transfer: new Transfer(counters) }),
);
const waiting: ((lane: Lane) => void)[] = [];

const inLane = async <T>(run: (lane: Lane) => Promise<T>): Promise<T> => {
  const lane = idle.pop() ?? (await new Promise<Lane>((resolve) => waiting.push(resolve)));
  try {
    return await run(lane);
  } finally {
    const next = waiting.shift();
    if (next === undefined) idle.push(lane);
    else next(lane);
  }
};

const doSmall = async (lane: Lane, file: SmallFile): Promise<Outcome> => {
  const stretch = { path: textOfFile(file), offset: 0, length: file.size };
  const { target } = await opened;
  const { digest, copied } = await target.small(lane, file, stretch);
  const pieces = file.size === 0 ? [] : [fromWire(digest)];
  tree.addFile(fromWire(file.path), file.size, fileDigest(pieces));
  counters.addFile();
  return { digest: '', copied, differs: false };
};

/** Digest of a piece in the source. */
const digestPiece = async ({ transfer }: Lane, job: PieceJob): Promise<Outcome> => {
  const stretch = { path: textOfFile(job), ...job.piece };
  const { source } = await opened;
  using from = await touching('source', stretch.path, () => source.open(job, stretch));
  const digest = await transfer.digest(from, 'source', stretch);
  await assertUnchanged(from, job);
  counters.addRead(stretch.length);
  return { digest: toWire(digest), copied: false, differs: false };
};

/** Copies several files at a time where the worker waits for a server. */
const doFiles = async (files: readonly SmallFile[]): Promise<readonly Outcome[]> => {
  const failures: unknown[] = [];
  const outcomes = await Promise.all(
    files.map((file) =>
      inLane(async (lane): Promise<Outcome | undefined> => {
        if (failures.length > 0) return undefined;
        try {
          return await doSmall(lane, file);
        } catch (error) {
          failures.push(error);
          return undefined;
        }
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
  return outcomes.filter((outcome) => outcome !== undefined);
};

const doPiece = async (lane: Lane, piece: PieceJob): Promise<Outcome> => {
  if (piece.do === 'digest') return digestPiece(lane, piece);
  const { target } = await opened;
  return target.piece(lane, piece, { path: textOfFile(piece), ...piece.piece });
};

const perform = async (id: number, job: Job): Promise<Answer> => {
  try {
    const outcomes =
      job.kind === 'files'
        ? await doFiles(job.files)
        : [await inLane((lane) => doPiece(lane, job.piece))];
    return { ok: true, id, outcomes };
  } catch (error) {
    const { reason, message, path } = moveErrorOf(error, 'target', '');
    return { ok: false, id, reason, message, ...(path !== undefined && { path }) };
  }
};

const finish = async (): Promise<void> => {
  parentPort?.postMessage(tree.lanes);
  const ends = await opened.catch(() => undefined);
  ends?.source[Symbol.dispose]();
  ends?.target[Symbol.dispose]();
  parentPort?.close();
};

parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'begin':
      return begin(fromWire(message.partsAddress));
    case 'job':
      return void perform(message.id, message.job).then((outcome) =>
        parentPort?.postMessage(outcome),
      );
    case 'finish':
      return void finish();
  }
});
