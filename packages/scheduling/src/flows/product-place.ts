import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { datasetAt } from './migrate-ends.ts';
import { normalisePath } from './paths.ts';
import { below, claimPlace, type FoundPlace, placeOfUri } from './storage-place.ts';

/** The places of the datasets in a namespace. */
export interface ProductPlaces {
  readonly findDataset?: (name: string) => Dataset | undefined;
  /** The cluster that serves them, if it is not the copying one. */
  readonly servedBy?: string | undefined;
  /** The clusters that the operation may run in, if known. In all of them a dataset lies in the same place. */
  readonly clusters?: readonly string[] | undefined;
}

/** The claim of a product: that of the dataset its process worked on, in the serving cluster or where it is read. */
export const placeOfProduct = (
  name: string,
  { findDataset, servedBy, clusters }: ProductPlaces,
): FoundPlace | undefined => {
  const readers = servedBy === undefined ? clusters : [servedBy];
  const copies = (findDataset?.(name)?.status?.clusters ?? []).filter(
    (copy) => copy.state === 'Complete' && (readers === undefined || readers.includes(copy.name)),
  );
  const [first] = copies;
  if (first?.claim === undefined || copies.some((copy) => !isSamePlace(copy, first)))
    return undefined;
  return claimPlace(first.claim, first.path, name);
};

const isSamePlace = (a: DatasetCopy, b: DatasetCopy): boolean =>
  a.claim === b.claim && (a.path ?? '') === (b.path ?? '');

/** The place of a mount, or its place in the claim of another dataset if a process produced it. */
export const placeInProduct = (
  mountPoint: string,
  namespace: string,
  place: FoundPlace,
  products: ProductPlaces,
): FoundPlace => {
  const start = `dataset://${namespace}/`;
  if (place.kind === 'refused' || !mountPoint.startsWith(start)) return place;
  const [name = '', ...steps] = mountPoint.slice(start.length).split('/');
  const product = placeOfProduct(name, products);
  return product === undefined ? place : below(product, normalisePath(steps.join('/')));
};

/** The place that one end of a migration names. */
export const placeOfEnd = (
  end: DataMigrate['spec']['from'],
  namespace: string,
  products: ProductPlaces = {},
): FoundPlace => {
  const dataset = datasetAt(end, namespace);
  if (dataset === undefined) {
    const { externalStorage } = end;
    return placeOfUri(externalStorage?.uri ?? '', namespace, externalStorage);
  }
  const { name, path } = dataset;
  const own = placeOfUri(`dataset://${dataset.namespace}/${name}/${path}`, namespace);
  const product = own.kind === 'refused' ? undefined : placeOfProduct(name, products);
  return product === undefined ? own : below(product, normalisePath(path));
};
