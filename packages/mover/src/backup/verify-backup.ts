import type { MoverClock } from '../clock.ts';
import { digestSource } from '../digest/digest-source.ts';
import { Counters } from '../jobs/counters.ts';
import type { LocalPlace, S3Place } from '../place.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** Manifest of a backup, and the result of reading the backup again. */
export interface VerifiedBackup {
  readonly manifest: Manifest;
  readonly files: number;
  readonly bytes: number;
  readonly digest: string;
  readonly isIntact: boolean;
}

/** Reads all of a backup, and compares it with its manifest. */
export const verifyBackup = async (
  place: LocalPlace | S3Place,
  clock: MoverClock,
): Promise<VerifiedBackup> => {
  const ends = { counters: new Counters(), clock };
  const below = (name: string) => ({
    ...place,
    path: place.path === '' ? name : `${place.path}/${name}`,
  });
  const manifest = await readManifest(below('manifest.json'), ends);
  const tree = await digestSource(below('data'), ends);
  return { manifest, ...tree, isIntact: tree.digest === manifest.digest };
};
