import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { movesOfBackup } from './backup-moves.ts';
import { movesOfLoad } from './load-moves.ts';
import { datasetAt } from './migrate-ends.ts';
import { type CopyOperation, type FoundMoves, type Move, movesOf } from './move.ts';
import { type ProductPlaces, placeOfEnd, placeOfProduct } from './product-place.ts';
import type { MountedPlace, StoragePlace } from './storage-place.ts';
import { hasOrigin, mountedDatasets } from './written-data.ts';

/** The claims of the datasets that an operation reads: another cluster can serve these. */
const readClaims = (
  operation: CopyOperation,
  dataset: Dataset | undefined,
  moves: readonly Move[],
  products: ProductPlaces,
): ReadonlySet<string> => {
  const claimsOf = moves.flatMap(({ from }) => (from.kind === 'claim' ? [from.claim] : []));
  if (operation.kind === 'DataMigrate') {
    const { metadata, spec } = operation as DataMigrate;
    const source = datasetAt(spec.from, metadata.namespace ?? '');
    return new Set(source === undefined ? [] : claimsOf);
  }
  if (!hasOrigin(dataset)) return new Set(claimsOf);
  const claimOf = (name: string): string => {
    const product = placeOfProduct(name, products);
    return product?.kind === 'claim' ? product.claim : name;
  };
  return new Set(mountedDatasets(dataset).map(claimOf));
};

/** The trees that another cluster serves for an operation, and all moves with these as sources. */
export const servedMoves = (
  operation: CopyOperation,
  dataset: Dataset | undefined,
  moves: readonly Move[],
  servedPlace: (tree: number) => StoragePlace,
  products: ProductPlaces,
): { readonly trees: readonly MountedPlace[]; readonly moves: readonly Move[] } => {
  const claims = readClaims(operation, dataset, moves, products);
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
  operation: CopyOperation,
  dataset: Dataset | undefined,
  isBetween = false,
  products: ProductPlaces = {},
): FoundMoves => {
  switch (operation.kind) {
    case 'DataLoad':
      return movesOfLoad(operation as DataLoad, dataset, isBetween, products);
    case 'DataBackup':
      return movesOfBackup(operation as DataBackup, dataset, products);
    default: {
      const { metadata, spec } = operation as DataMigrate;
      const { namespace = '' } = metadata;
      const from = placeOfEnd(spec.from, namespace, products);
      return movesOf([[from, placeOfEnd(spec.to, namespace)]], { isBetween });
    }
  }
};
