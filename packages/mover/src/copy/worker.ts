import { parentPort, workerData } from 'node:worker_threads';
import { fileDigest, TreeDigest } from '../digest/tree-digest.ts';
import { textOfPath } from '../ends/entry.ts';
import type { ReadableFile } from '../ends/source.ts';
import { MoveError, moveErrorOf, touching } from '../errors.ts';
import { openPieces, openSmallPart } from '../local/local-part.ts';
import { openLocalFile } from '../local/local-source.ts';
import { Counters } from './counters.ts';
import {
  type Answer,
  type FileFacts,
  fromWire,
  type Job,
  type Outcome,
  type PieceJob,
  type SmallFile,
  toWire,
  type WorkerData,
} from './job.ts';
import { type Stretch, Transfer } from './transfer.ts';

const { index, partsAddress, flush, counters: shared }: WorkerData = workerData;
const counters = new Counters(shared);
const transfer = new Transfer(counters);
const parts = fromWire(partsAddress);
const tree = new TreeDigest();

const textOf = (facts: FileFacts) => () => textOfPath(fromWire(facts.path));

const openSource = (facts: FileFacts): ReadableFile =>
  touching('source', textOf(facts), () => openLocalFile(fromWire(facts.from)));

const assertUnchanged = async (file: ReadableFile, facts: FileFacts): Promise<void> => {
  if ((await file.version()) === facts.version) return;
  const path = textOf(facts)();
  throw new MoveError('SourceChanged', `source ${path} was changed while it was copied`, path);
};

/** Takes a small file from the source; it gets its name when it is whole and verified. */
const copySmall = async (file: SmallFile, stretch: Stretch): Promise<Buffer> => {
  using from = openSource(file);
  using part = touching('target', stretch.path, () => openSmallPart(parts, index));
  const isSparse = file.allocated < file.size;
  if (isSparse) await touching('target', stretch.path, () => part.resize(file.size));
  const digest = await transfer.copy(from, part, stretch, isSparse);
  await assertUnchanged(from, file);
  touching('target', stretch.path, () => part.commit(fromWire(file.to), file, flush));
  return digest;
};

/** The digest of a small file that is there, unless its source has other bytes. */
const checkSmall = async (file: SmallFile, stretch: Stretch): Promise<Buffer | undefined> => {
  using there = touching('target', stretch.path, () => openLocalFile(fromWire(file.to)));
  const digest = await transfer.digest(there, 'target', stretch);
  if (file.do === 'check') return digest;
  using from = openSource(file);
  const wanted = await transfer.digest(from, 'source', stretch);
  await assertUnchanged(from, file);
  return wanted.equals(digest) ? digest : undefined;
};

const doSmall = async (file: SmallFile): Promise<Outcome> => {
  const stretch = { path: textOf(file), offset: 0, length: file.size };
  const kept = file.do === 'copy' ? undefined : await checkSmall(file, stretch);
  if (kept) counters.addKept(file.size);
  const digest = kept ?? (await copySmall(file, stretch));
  tree.addFile(fromWire(file.path), file.size, fileDigest(file.size === 0 ? [] : [digest]));
  counters.addFile();
  return { digest: '', copied: kept === undefined, differs: false };
};

const doPiece = async (job: PieceJob): Promise<Outcome> => {
  const { offset, length } = job.piece;
  const stretch = { path: textOf(job), offset, length };
  using there = touching('target', stretch.path, () =>
    job.do === 'copy' ? openPieces(fromWire(job.to)) : openLocalFile(fromWire(job.to)),
  );
  if (job.do !== 'copy' || job.noted !== undefined) {
    const digest = await transfer.digest(there, 'target', stretch);
    const isDone = job.do === 'check' || toWire(digest) === job.noted;
    if (isDone) counters.addKept(length);
    if (isDone) return { digest: toWire(digest), copied: false, differs: false };
    if (job.do === 'compare') {
      using from = openSource(job);
      const wanted = await transfer.digest(from, 'source', stretch);
      await assertUnchanged(from, job);
      const differs = !wanted.equals(digest);
      if (!differs) counters.addKept(length);
      return { digest: toWire(digest), copied: false, differs };
    }
  }
  using from = openSource(job);
  if (!('write' in there)) throw new Error('a piece is copied to a part');
  const digest = await transfer.copy(from, there, stretch, job.mayLeaveHoles);
  await assertUnchanged(from, job);
  return { digest: toWire(digest), copied: true, differs: false };
};

const perform = async (job: Job): Promise<Answer> => {
  const outcomes: Outcome[] = [];
  try {
    if (job.kind === 'piece') outcomes.push(await doPiece(job.piece));
    else for (const file of job.files) outcomes.push(await doSmall(file));
    return { ok: true, outcomes };
  } catch (error) {
    const { reason, message, path } = moveErrorOf(error, 'target', '');
    return { ok: false, reason, message, ...(path !== undefined && { path }) };
  }
};

parentPort?.on('message', (job: Job | 'finish') => {
  if (job === 'finish') {
    parentPort?.postMessage(tree.lanes);
    parentPort?.close();
    return;
  }
  void perform(job).then((answer) => parentPort?.postMessage(answer));
});
