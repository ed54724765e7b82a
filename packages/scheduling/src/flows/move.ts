import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { JsonObject } from '@perigee/schema/json';
import { normalisePath } from './paths.ts';
import type { FoundPlace, NamedPlace, StoragePlace } from './storage-place.ts';
import type { Refusal } from './validate-operation.ts';

/** An operation that copies data. */
export type CopyOperation = DataLoad | DataMigrate | DataBackup;

/** A tree of files that is copied. */
export interface Move {
  readonly from: StoragePlace;
  readonly to: StoragePlace;
  /** True if files that the source lacks are deleted. */
  readonly isMirror: boolean;
  /** The manifest of copied files, and additional facts to record. */
  readonly manifest?: { readonly place: StoragePlace; readonly about: JsonObject };
  /** The manifest that the copied files must match. */
  readonly verifiedBy?: StoragePlace;
}

type MoveRefusal = { readonly kind: 'refused' } & Refusal;
export type FoundMoves = { readonly kind: 'moves'; readonly moves: readonly Move[] } | MoveRefusal;

export const refusal = (reason: Refusal['reason'], message: string): MoveRefusal => ({
  kind: 'refused',
  reason,
  message,
});

export const isInside = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

const isMounted = ({ kind }: NamedPlace): boolean => ['claim', 'host', 'nfs'].includes(kind);

const overlap = (from: NamedPlace, to: NamedPlace): boolean => {
  const volume = (place: NamedPlace): string => {
    if (place.kind === 'claim') return `claim ${place.claim}`;
    return place.kind === 'nfs' ? `nfs ${place.server}` : place.kind;
  };
  const path = (place: NamedPlace): string =>
    normalisePath('folder' in place ? `${place.folder}/${place.path}` : place.path);
  const [a, b] = [path(from), path(to)];
  // For network storage, the mover checks this itself.
  return isMounted(from) && volume(from) === volume(to) && (isInside(a, b) || isInside(b, a));
};

/** True if two trees are copied to the same folder, or one into the folder of another one. */
export const haveNestedTargets = (moves: readonly Move[]): boolean => {
  const folders = moves.flatMap(({ to }) => (to.kind === 'claim' ? [to] : []));
  return folders.some(({ claim, path }, at) =>
    folders.some(
      (other, otherAt) => at !== otherAt && claim === other.claim && isInside(path, other.path),
    ),
  );
};

/** Why the mover cannot copy from one of these to the other, wherever it runs. */
const problemOf = (from: NamedPlace, to: NamedPlace): string | undefined => {
  if (to.kind === 'http') return `${new URL(to.url).origin}: a web server can only be read`;
  const isByRclone = from.kind === 'rclone' || to.kind === 'rclone';
  return isByRclone && !isMounted(from) && !isMounted(to)
    ? 'what rclone reaches is copied to or from a folder: go through a dataset'
    : undefined;
};

export const movesOf = (
  pairs: readonly (readonly [from: FoundPlace, to: FoundPlace])[],
  { isMirror = false, isBetween = false } = {},
): FoundMoves => {
  const moves: Move[] = [];
  for (const [from, to] of pairs) {
    if (from.kind === 'refused') return from;
    if (to.kind === 'refused') return to;
    const problem = problemOf(from, to);
    if (problem !== undefined) return refusal('PathNotSupported', problem);
    const move = { from, to, isMirror };
    if (!isBetween && overlap(from, to))
      return refusal('PathNotSupported', 'source and target lie in each other');
    moves.push(move);
  }
  return { kind: 'moves', moves };
};
