import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { normalisePath } from './paths.ts';
import { type Lying, placeInProduct, placeOfProduct } from './product-place.ts';
import type { StorageAccess } from './remote-place.ts';
import {
  below,
  claimPlace,
  type FoundPlace,
  type MountedPlace,
  type NamedPlace,
  placeOfUri,
  type StoragePlace,
} from './storage-place.ts';
import type { Refusal } from './validate-operation.ts';
import { hasOrigin, mountedDatasets } from './written-data.ts';

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

type Refused = { readonly kind: 'refused' } & Refusal;
export type FoundMoves = { readonly kind: 'moves'; readonly moves: readonly Move[] } | Refused;

type Mount = NonNullable<Dataset['spec']['mounts']>[number];

const MOST_MOVES = 16;

const refusal = (reason: Refusal['reason'], message: string): Refused => ({
  kind: 'refused',
  reason,
  message,
});

const isInside = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

const overlap = (from: NamedPlace, to: NamedPlace): boolean => {
  const volume = (place: NamedPlace): string => {
    if (place.kind === 'claim') return `claim ${place.claim}`;
    return place.kind === 'nfs' ? `nfs ${place.server}` : place.kind;
  };
  const path = (place: NamedPlace): string =>
    normalisePath('folder' in place ? `${place.folder}/${place.path}` : place.path);
  const [a, b] = [path(from), path(to)];
  // For network storage, the mover checks this itself.
  const isMounted = ['claim', 'host', 'nfs'].includes(from.kind);
  return isMounted && volume(from) === volume(to) && (isInside(a, b) || isInside(b, a));
};

const movesOf = (
  pairs: readonly (readonly [from: FoundPlace, to: FoundPlace])[],
  { isMirror = false, isBetween = false } = {},
): FoundMoves => {
  const moves: Move[] = [];
  for (const [from, to] of pairs) {
    if (from.kind === 'refused') return from;
    if (to.kind === 'refused') return to;
    const move = { from, to, isMirror };
    if (!isBetween && overlap(from, to))
      return refusal('PathNotSupported', 'source and target lie in each other');
    moves.push(move);
  }
  return { kind: 'moves', moves };
};

/** The path of a mount in the dataset, as in Fluid. */
const placeOfMount = ({ path, name = '' }: Mount): string => normalisePath(path || name);

/** The move for a requested path, if the mount covers a part of it. */
const loadOf = (
  mount: Mount,
  desiredPath: string,
  { metadata: { namespace = '', name }, spec }: Dataset,
  lying: Lying,
): readonly [FoundPlace, FoundPlace] | undefined => {
  const at = placeOfMount(mount);
  const uri = placeOfUri(mount.mountPoint, namespace, {
    options: { ...spec.sharedOptions, ...mount.options },
    encryptOptions: [
      ...(mount.encryptOptions ?? []),
      // A web server only gets keys meant for it.
      ...(/^https?:/.test(mount.mountPoint) ? [] : (spec.sharedEncryptOptions ?? [])),
    ],
  });
  const from = placeInProduct(mount.mountPoint, namespace, uri, lying);
  if (isInside(at, desiredPath)) return [from, claimPlace(name, at, name)];
  if (!isInside(desiredPath, at)) return undefined;
  const rest = desiredPath.slice(at.length).replace(/^\//, '');
  return [below(from, rest), claimPlace(name, desiredPath, name)];
};

/** The places of a dataset's backup, below the path that its operation names. */
const backupPlaces = (
  uri: string,
  namespace: string,
  dataset: string,
  access: StorageAccess,
): { readonly data: FoundPlace; readonly manifest: FoundPlace } => {
  const base = below(placeOfUri(uri, namespace, access), dataset);
  return { data: below(base, 'data'), manifest: below(base, 'manifest.json') };
};

/** The moves from the backup of a new dataset, until some cluster has a copy. */
const movesOfRestore = ({ metadata, spec, status }: Dataset): FoundMoves | undefined => {
  const { path, dataset, ...access } = spec.dataRestoreLocation ?? {};
  const hasCopy = (status?.clusters ?? []).some(({ state }) => state === 'Complete');
  if (!path || hasCopy) return undefined;
  const { namespace = '', name } = metadata;
  const { data, manifest } = backupPlaces(
    path,
    namespace,
    dataset ?? `${namespace}/${name}`,
    access,
  );
  const plannedMoves = movesOf([[data, claimPlace(name, '', name)]]);
  if (plannedMoves.kind === 'refused' || manifest.kind === 'refused') return plannedMoves;
  return {
    ...plannedMoves,
    moves: plannedMoves.moves.map((move) => ({ ...move, verifiedBy: manifest })),
  };
};

/** The moves from a dataset's claim in one cluster to its claim in another. */
const movesOfSpread = (paths: readonly string[], { metadata }: Dataset, own: FoundPlace) =>
  movesOf(
    paths.map((path) => [below(own, path), claimPlace(metadata.name, path, metadata.name)]),
    { isBetween: true },
  );

/** The moves from the storage of a dataset to its claim. */
const movesOfLoad = (
  { metadata: { namespace = '' }, spec }: DataLoad,
  dataset: Dataset | undefined,
  isBetween: boolean,
  lying: Lying,
): FoundMoves => {
  const { target = [], dataset: named } = spec;
  const isWhole = target.length === 0 || target.some(({ path }) => normalisePath(path) === '');
  const restored = dataset && isWhole ? movesOfRestore(dataset) : undefined;
  if (restored !== undefined) return restored;
  const { mounts = [] } = dataset?.spec ?? {};
  if (dataset === undefined || (mounts.length === 0 && !isBetween)) {
    const message = `the dataset ${named.name} has no mounts, and no cluster has a copy of it: there is nothing to load it from`;
    return refusal('PathNotSupported', message);
  }
  const targetPaths = target.length === 0 ? ['/'] : target.map(({ path }) => path);
  if (targetPaths.some((path) => path.split('/').includes('..'))) {
    return refusal('PathNotSupported', 'the path of a target climbs out of the dataset');
  }
  const paths = [...new Set(targetPaths.map(normalisePath))];
  const tooMany = refusal('NotSupported', `at most ${MOST_MOVES} targets can be loaded at once`);
  if (paths.length > MOST_MOVES) return tooMany;
  const outer = paths.filter(
    (path) => !paths.some((other) => other !== path && isInside(path, other)),
  );
  if (mounts.length === 0) {
    return movesOfSpread(outer, dataset, placeOfEnd({ dataset: named }, namespace, lying));
  }
  const pairs = outer.map((path) =>
    mounts.flatMap((mount) => {
      const pair = loadOf(mount, path, dataset, lying);
      return pair === undefined ? [] : [pair];
    }),
  );
  const nowhere = outer.find((_, at) => pairs[at]?.length === 0);
  if (nowhere !== undefined) {
    const message = `no mount of the dataset ${named.name} has the path /${nowhere}`;
    return refusal('PathNotSupported', message);
  }
  const all = pairs.flat();
  return all.length > MOST_MOVES ? tooMany : movesOf(all, { isBetween });
};

const placeOfEnd = (
  { dataset: named, externalStorage }: DataMigrate['spec']['from'],
  namespace: string,
  lying: Lying = {},
): FoundPlace => {
  if (named === undefined) {
    return placeOfUri(externalStorage?.uri ?? '', namespace, externalStorage);
  }
  const { name, path = '' } = named;
  const uri = `dataset://${named.namespace || namespace}/${name}/${path}`;
  const own = placeOfUri(uri, namespace);
  const product = own.kind === 'refused' ? undefined : placeOfProduct(name, lying);
  return product === undefined ? own : below(product, normalisePath(path));
};

/** Each backup has a folder of its own. */
const movesOfBackup = (
  { metadata, spec }: DataBackup,
  dataset: Dataset | undefined,
  lying: Lying,
): FoundMoves => {
  const { namespace = '' } = metadata;
  const { dataset: name, backupPath } = spec;
  const { data, manifest } = backupPlaces(backupPath, namespace, `${namespace}/${name}`, spec);
  const from = placeOfEnd({ dataset: { name } }, namespace, lying);
  const plannedMoves = movesOf([[from, data]], { isMirror: true });
  if (plannedMoves.kind === 'refused' || manifest.kind === 'refused') return plannedMoves;
  const about = { namespace, dataset: name, spec: (dataset?.spec ?? {}) as JsonObject };
  return {
    ...plannedMoves,
    moves: plannedMoves.moves.map((move) => ({ ...move, manifest: { place: manifest, about } })),
  };
};

/** The claims of the datasets that an operation reads: another cluster can serve these. */
const readClaims = (
  operation: DataLoad | DataMigrate | DataBackup,
  dataset: Dataset | undefined,
  moves: readonly Move[],
  lying: Lying,
): ReadonlySet<string> => {
  const claimsOf = moves.flatMap(({ from }) => (from.kind === 'claim' ? [from.claim] : []));
  if (operation.kind === 'DataMigrate') {
    return new Set((operation as DataMigrate).spec.from.dataset === undefined ? [] : claimsOf);
  }
  if (!hasOrigin(dataset)) return new Set(claimsOf);
  const claimOf = (name: string): string => {
    const product = placeOfProduct(name, lying);
    return product?.kind === 'claim' ? product.claim : name;
  };
  return new Set(mountedDatasets(dataset).map(claimOf));
};

/** The trees that another cluster serves for an operation, and all moves with these as sources. */
export const servedMoves = (
  operation: DataLoad | DataMigrate | DataBackup,
  dataset: Dataset | undefined,
  moves: readonly Move[],
  servedPlace: (tree: number) => StoragePlace,
  lying: Lying,
): { readonly trees: readonly MountedPlace[]; readonly moves: readonly Move[] } => {
  const claims = readClaims(operation, dataset, moves, lying);
  const trees: MountedPlace[] = [];
  const all = moves.map((move) => {
    const { from } = move;
    if (from.kind !== 'claim' || !claims.has(from.claim)) return move;
    trees.push(from);
    return { ...move, from: servedPlace(trees.length - 1) };
  });
  return { trees, moves: all };
};

/** The moves of an operation, within a cluster or from another one, or the reason for refusing it. */
export const operationMoves = (
  operation: DataLoad | DataMigrate | DataBackup,
  dataset: Dataset | undefined,
  isBetween = false,
  lying: Lying = {},
): FoundMoves => {
  switch (operation.kind) {
    case 'DataLoad':
      return movesOfLoad(operation as DataLoad, dataset, isBetween, lying);
    case 'DataBackup':
      return movesOfBackup(operation as DataBackup, dataset, lying);
    default: {
      const { metadata, spec } = operation as DataMigrate;
      const { namespace = '' } = metadata;
      const from = placeOfEnd(spec.from, namespace, lying);
      return movesOf([[from, placeOfEnd(spec.to, namespace)]], { isBetween });
    }
  }
};
