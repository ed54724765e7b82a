import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { type FoundMoves, movesOf } from './move.ts';
import { type ProductPlaces, placeOfEnd } from './product-place.ts';
import type { StorageAccess } from './storage-access.ts';
import { below, claimPlace, type FoundPlace, placeOfUri } from './storage-place.ts';

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
export const movesOfRestore = ({ metadata, spec, status }: Dataset): FoundMoves | undefined => {
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

/** Each backup has a folder of its own. */
export const movesOfBackup = (
  { metadata, spec }: DataBackup,
  dataset: Dataset | undefined,
  products: ProductPlaces,
): FoundMoves => {
  const { namespace = '' } = metadata;
  const { dataset: name, backupPath } = spec;
  const { data, manifest } = backupPlaces(backupPath, namespace, `${namespace}/${name}`, spec);
  const from = placeOfEnd({ dataset: { name } }, namespace, products);
  const plannedMoves = movesOf([[from, data]], { isMirror: true });
  if (plannedMoves.kind === 'refused' || manifest.kind === 'refused') return plannedMoves;
  const about = { namespace, dataset: name, spec: (dataset?.spec ?? {}) as JsonObject };
  return {
    ...plannedMoves,
    moves: plannedMoves.moves.map((move) => ({ ...move, manifest: { place: manifest, about } })),
  };
};
