import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { movesOfRestore } from './backup-moves.ts';
import { type FoundMoves, isInside, movesOf, refusal } from './move.ts';
import { normalisePath } from './paths.ts';
import { type ProductPlaces, placeInProduct, placeOfEnd } from './product-place.ts';
import { below, claimPlace, type FoundPlace, placeOfUri } from './storage-place.ts';

type Mount = NonNullable<Dataset['spec']['mounts']>[number];

const MOST_MOVES = 16;

/** The path of a mount in the dataset, as in Fluid. */
const placeOfMount = ({ path, name = '' }: Mount): string => normalisePath(path || name);

/** The move for a requested path, if the mount covers a part of it. */
const loadOf = (
  mount: Mount,
  desiredPath: string,
  { metadata: { namespace = '', name }, spec }: Dataset,
  products: ProductPlaces,
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
  const from = placeInProduct(mount.mountPoint, namespace, uri, products);
  if (isInside(at, desiredPath)) return [from, claimPlace(name, at, name)];
  if (!isInside(desiredPath, at)) return undefined;
  const rest = desiredPath.slice(at.length).replace(/^\//, '');
  return [below(from, rest), claimPlace(name, desiredPath, name)];
};

/** The moves from a dataset's claim in one cluster to its claim in another. */
const movesOfSpread = (paths: readonly string[], { metadata }: Dataset, own: FoundPlace) =>
  movesOf(
    paths.map((path) => [below(own, path), claimPlace(metadata.name, path, metadata.name)]),
    { isBetween: true },
  );

/** The moves from the storage of a dataset to its claim. */
export const movesOfLoad = (
  { metadata: { namespace = '' }, spec }: DataLoad,
  dataset: Dataset | undefined,
  isBetween: boolean,
  products: ProductPlaces,
): FoundMoves => {
  const { target = [], dataset: datasetRef } = spec;
  const isWhole = target.length === 0 || target.some(({ path }) => normalisePath(path) === '');
  const restore = dataset && isWhole ? movesOfRestore(dataset) : undefined;
  if (restore !== undefined) return restore;
  const { mounts = [] } = dataset?.spec ?? {};
  if (dataset === undefined || (mounts.length === 0 && !isBetween)) {
    const message = `the dataset ${datasetRef.name} has no mounts, and no cluster has a copy of it: there is nothing to load it from`;
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
    return movesOfSpread(outer, dataset, placeOfEnd({ dataset: datasetRef }, namespace, products));
  }
  const pairs = outer.map((path) =>
    mounts.flatMap((mount) => {
      const pair = loadOf(mount, path, dataset, products);
      return pair === undefined ? [] : [pair];
    }),
  );
  const nowhere = outer.find((_, at) => pairs[at]?.length === 0);
  if (nowhere !== undefined) {
    const message = `no mount of the dataset ${datasetRef.name} has the path /${nowhere}`;
    return refusal('PathNotSupported', message);
  }
  const all = pairs.flat();
  return all.length > MOST_MOVES ? tooMany : movesOf(all, { isBetween });
};
