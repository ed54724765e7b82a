import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';

/** A directory of a dataset at one end of a migration. */
interface DatasetEnd {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

/** The dataset at one end of a migration, by its name or by a URL. */
export const datasetAt = (
  { dataset, externalStorage }: DataMigrate['spec']['from'],
  own: string,
): DatasetEnd | undefined => {
  if (dataset !== undefined) {
    return { namespace: dataset.namespace || own, name: dataset.name, path: dataset.path ?? '' };
  }
  const [, namespace, name, path = ''] =
    /^dataset:\/\/([^/]+)\/([^/]+)\/?(.*)$/s.exec(externalStorage?.uri ?? '') ?? [];
  return namespace && name ? { namespace, name, path } : undefined;
};
