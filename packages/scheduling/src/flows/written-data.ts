import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { datasetAt } from './migrate-ends.ts';
import type { Operation } from './operation.ts';
import { placeOfUri } from './storage-place.ts';

const dataset = (namespace: string, name: string): string => `dataset ${namespace}/${name}`;

/** Claims and folders are per namespace. One place has several spellings. */
const place = (namespace: string, uri: string): string => {
  const location = placeOfUri(uri, namespace);
  if (location.kind === 'claim')
    return `place ${namespace} pvc://${location.claim}/${location.path}`;
  if (location.kind === 'host') return `place ${namespace} local://${location.folder}`;
  if (location.kind === 'nfs')
    return `place ${namespace} nfs://${location.server}${location.folder}`;
  let end = uri.length;
  while (end > 0 && uri[end - 1] === '/') end--;
  return `place ${namespace} ${uri.slice(0, end)}`;
};

/**
 * Keys of the data that an operation writes. Operations with a common key never run at the same time. User code counts
 * as a reader of its dataset, and as a writer of its products.
 */
export const writtenData = (operation: Operation): readonly string[] => {
  const { namespace = '' } = operation.metadata;
  switch (operation.kind) {
    case 'DataLoad':
      return [dataset(namespace, (operation as DataLoad).spec.dataset.name)];
    case 'DataMigrate': {
      const { to } = (operation as DataMigrate).spec;
      const target = datasetAt(to, namespace);
      if (target !== undefined) return [dataset(target.namespace, target.name)];
      return to.externalStorage === undefined ? [] : [place(namespace, to.externalStorage.uri)];
    }
    case 'DataBackup':
      return [place(namespace, (operation as DataBackup).spec.backupPath)];
    default:
      return ((operation as DataProcess).spec.produces ?? []).flatMap((product) =>
        product.dataset === undefined ? [] : [dataset(namespace, product.dataset.name)],
      );
  }
};

/** The datasets of its namespace that an operation requires. */
export const datasetsOf = (operation: Operation): readonly string[] => {
  switch (operation.kind) {
    case 'DataBackup':
      return [(operation as DataBackup).spec.dataset];
    case 'DataMigrate': {
      const { from, to } = (operation as DataMigrate).spec;
      const { namespace = '' } = operation.metadata;
      return [from, to].flatMap((end) => {
        const one = datasetAt(end, namespace);
        return one?.namespace === namespace ? [one.name] : [];
      });
    }
    default:
      return [(operation as DataLoad | DataProcess).spec.dataset.name];
  }
};

/** The dataset of its namespace that owns an operation, as in Fluid. */
export const targetDataset = (operation: Operation): string | undefined =>
  datasetsOf(operation).at(-1);

/** The datasets of its own namespace that a dataset mounts: their claims hold its origin. */
export const mountedDatasets = (dataset: Dataset | undefined): readonly string[] => {
  const start = `dataset://${dataset?.metadata.namespace}/`;
  return (dataset?.spec.mounts ?? []).flatMap(({ mountPoint }) => {
    const name = mountPoint.startsWith(start) ? mountPoint.slice(start.length).split('/')[0] : '';
    return name ? [name] : [];
  });
};

export const hasOrigin = (dataset: Dataset | undefined): boolean =>
  (dataset?.spec.mounts ?? []).length > 0;
