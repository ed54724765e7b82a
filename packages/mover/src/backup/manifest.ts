import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { MoveError, touching } from '../errors.ts';
import { findPlace } from '../local/find-place.ts';
import type { EndOptions } from '../open/open-ends.ts';
import { type Place, type TargetPlace, textOfPlace } from '../place.ts';
import { WORKSHOP } from '../plan/decide-entry.ts';
import { openS3Client } from '../s3/s3-place.ts';

/** Content of a backup. */
export interface Manifest {
  readonly version: 1;
  readonly time: string;
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
  /** Description of the data by the program that made the backup: its dataset. */
  readonly about: unknown;
}

const MOST_BYTES = 2 ** 20;
const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

const readBytes = async (place: Place, { counters, clock }: EndOptions): Promise<Buffer> => {
  switch (place.kind) {
    case 'local': {
      using location = findPlace(place, 'source');
      // Somebody with write access may have put a pipe in its place: opening it must not block.
      const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
      const fd = openSync(location.folder.address(location.name), flags);
      try {
        const { size } = fstatSync(fd);
        if (!fstatSync(fd).isFile() || size > MOST_BYTES) {
          throw new MoveError('BackupDamaged', 'the manifest is no file of at most 1 MiB');
        }
        return readFileSync(fd);
      } finally {
        closeSync(fd);
      }
    }
    case 's3': {
      using client = openS3Client(place, 'source', counters, clock);
      return await client.read(place.path, MOST_BYTES);
    }
    case 'http':
    case 'peer':
      throw new MoveError('EndpointRefused', 'a backup cannot be read from a web server');
  }
};

const isManifest = (value: unknown): value is Manifest => {
  const { version, digest } = (value ?? {}) as Partial<Manifest>;
  return version === 1 && typeof digest === 'string' && digest.startsWith('tree1:');
};

export const readManifest = async (place: Place, ends: EndOptions): Promise<Manifest> => {
  const where = textOfPlace(place);
  let bytes: Buffer;
  try {
    bytes = await touching(
      'source',
      () => where,
      () => readBytes(place, ends),
    );
  } catch (error) {
    const { reason } = error as MoveError;
    if (reason !== 'SourceChanged' && reason !== 'SourceMissing') throw error;
    throw new MoveError('SourceMissing', `there is no backup: ${where} is missing`);
  }
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (isManifest(value)) return value;
  } catch {
    // Said below, as of any other text that is no manifest.
  }
  throw new MoveError('BackupDamaged', `${where} is no manifest of a backup`);
};

export const writeManifest = async (
  place: TargetPlace,
  manifest: Manifest,
  { counters, clock }: EndOptions,
): Promise<void> => {
  const bytes = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  if (place.kind === 's3') {
    using client = openS3Client(place, 'target', counters, clock);
    await client.put(place.path, bytes, hash('sha256', bytes), {});
    return;
  }
  using location = findPlace(place, 'target');
  const { folder, name } = location;
  const draft = folder.address(`${WORKSHOP}-manifest`);
  const fd = openSync(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
  try {
    writeSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, folder.address(name));
  fsyncSync(folder.fd);
};
