import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { FolderJob } from '../src/copy/folder-job.ts';
import { submitLargeFile } from '../src/copy/large-file.ts';
import type { Pool } from '../src/copy/pool.ts';
import type { Entry } from '../src/ends/entry.ts';
import type { SourceFolder } from '../src/ends/source.ts';
import type { Target, TargetFolder } from '../src/ends/target.ts';
import { Counters } from '../src/jobs/counters.ts';
import { type PieceJob, toWire } from '../src/jobs/job.ts';
import { partsOf } from '../src/s3/s3-part.ts';

const PIECE = 8 * 2 ** 20;

/** The parts of a file of that size as threads get them, which have told of each piece its number as its digest. */
const partsSent = async (size: number): Promise<readonly PieceJob[]> => {
  const sent: PieceJob[] = [];
  const pool: Pick<Pool, 'submit'> = {
    submit: async (job, done) => {
      if (job.kind !== 'piece') return;
      const { piece } = job;
      if (piece.do === 'copy') sent.push(piece);
      const digest = hash('sha256', String(piece.piece.index), 'buffer');
      done([{ digest: toWire(digest), copied: piece.do === 'copy', differs: false }]);
    },
  };
  const name = Buffer.from('large');
  const facts = { name, size, allocated: size, modifiedMs: 0, version: '1', mode: 0o644 };
  const entry: Entry = { ...facts, kind: 'file' };
  const ends = { address: () => name, lookup: () => entry };
  const about = {
    source: ends as unknown as SourceFolder,
    target: ends as unknown as TargetFolder,
  };
  const folder = new FolderJob({ ...about, path: name, depth: 0, isFresh: true }, () => {});
  const part = { address: name, isFresh: true, donePieces: new Map(), stretches: partsOf(size) };
  const target = {
    keeps: { needsDigest: true },
    part: () => ({ ...part, note: () => {}, commit: () => true, [Symbol.dispose]: () => {} }),
  };
  const file = { folder, entry, name, path: name };
  const doing = { doing: 'copy', flush: false, damageReason: 'VerificationFailed' } as const;
  const options = { ...doing, counters: new Counters() };
  const [asPool, asTarget] = [pool as Pool, target as unknown as Target];
  await (await submitLargeFile(asPool, asTarget, file, options)).done;
  return sent;
};

test('a part of several pieces is not announced with the digest of the piece that has its number', async () => {
  const large = await partsSent(10_000 * PIECE + 1);
  assert.deepEqual([large.length, large[0]?.piece.length], [5001, 2 * PIECE]);
  assert.deepEqual(
    large.filter(({ notedDigest }) => notedDigest !== undefined),
    [],
  );
});

test('a part that is one piece is announced with the digest of that piece', async () => {
  const sent = await partsSent(2 * PIECE + 9);
  assert.deepEqual(
    sent.map(({ notedDigest }) => notedDigest),
    ['0', '1', '2'].map((text) => toWire(hash('sha256', text, 'buffer'))),
  );
});
