import { textOfPath } from '../ends/entry.ts';
import type { ReadableFile, RecordedDigest } from '../ends/source.ts';
import { MoveError, touching } from '../errors.ts';
import { type FileFacts, fromWire } from './job.ts';

export const textOfFile = (facts: Pick<FileFacts, 'path'>) => () =>
  textOfPath(fromWire(facts.path));

const changedError = (path: string): MoveError =>
  new MoveError('SourceChanged', `source ${path} was changed while it was copied`, path);

export const assertUnchanged = async (file: ReadableFile, facts: FileFacts): Promise<void> => {
  const path = textOfFile(facts);
  const version = await touching('source', path, () => file.version());
  if (version !== facts.version) throw changedError(path());
};

/** Throws if the bytes that were read do not have the digest that the store recorded on their upload. */
export const assertRecorded = (
  recordedDigest: RecordedDigest | undefined,
  sha256: Buffer,
  path: () => string,
): void => {
  if (recordedDigest === undefined) return;
  const { algorithm, hex, actual = sha256.toString('hex') } = recordedDigest;
  if (actual === hex) return;
  const message = `source ${path()} is not what was recorded of it: its ${algorithm} is ${actual}, not ${hex}`;
  throw new MoveError('VerificationFailed', message, path());
};
