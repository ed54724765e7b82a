import { textOfPath } from '../ends/entry.ts';
import type { ReadableFile, RecordedDigest } from '../ends/source.ts';
import { type FailureReason, MoveError, touching } from '../errors.ts';
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

/** Why a move fails whose source is not what was recorded of it: a backup does not get better. */
export type DamageReason = Extract<FailureReason, 'VerificationFailed' | 'BackupDamaged'>;

/** Error if the bytes that were read do not have the digest that the store recorded on their upload. */
export const damageOf = (
  recordedDigest: RecordedDigest | undefined,
  sha256: Buffer,
  path: () => string,
  reason: DamageReason,
): MoveError | undefined => {
  if (recordedDigest === undefined) return undefined;
  const { algorithm, hex, actual = sha256.toString('hex') } = recordedDigest;
  if (actual === hex) return undefined;
  const message = `source ${path()} is not what was recorded of it: its ${algorithm} is ${actual}, not ${hex}`;
  return new MoveError(reason, message, path());
};
