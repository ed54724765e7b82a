import type {
  DataSource,
  DataSourceCopy,
  DataSourceSpec,
} from '@perigee/api/kinds/data/data-source';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { present } from '@perigee/schema/present';

/** The dataset that a DataSource is named after. */
export interface DatasetRef {
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = 'fluid-dataset.';
const SYSTEM = 'fluid';
const TYPE = 'dataset';

/** Namespaces and datasets have no dots in their names, so that no two of them share a DataSource. */
export const datasetSourceName = ({ namespace, name }: DatasetRef): string =>
  `${PREFIX}${namespace}.${name}`;

const identityOf = ({ namespace, name }: DatasetRef) => ({
  system: SYSTEM,
  type: TYPE,
  name: `${namespace}/${name}`,
});

/** True if a DataSource describes the dataset, and not foreign data of the same name. */
export const isSourceOf = ({ spec }: DataSource, dataset: DatasetRef): boolean => {
  const { system, type, name } = identityOf(dataset);
  return spec.system === system && spec.type === type && spec.name === name;
};

/** The dataset in the name of a DataSource; it need not exist. */
export const datasetNamedBy = (sourceName: string): DatasetRef | undefined => {
  if (!sourceName.startsWith(PREFIX)) return undefined;
  const [namespace, name, ...more] = sourceName.slice(PREFIX.length).split('.');
  return namespace && name && more.length === 0 ? { namespace, name } : undefined;
};

const completeOf = (copies: readonly DatasetCopy[]): readonly DatasetCopy[] =>
  copies.filter(({ state }) => state === 'Complete');

/** The copy that describes the data best: the latest. */
export const latestCopy = (copies: readonly DatasetCopy[]): DatasetCopy | undefined =>
  completeOf(copies)
    .filter(({ bytes }) => bytes !== undefined)
    .toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];

/** The DataSource spec of a dataset with these copies. */
export const sourceSpecOf = (
  dataset: DatasetRef,
  copies: readonly DatasetCopy[],
): DataSourceSpec => {
  const bytes = latestCopy(copies)?.bytes;
  return {
    ...identityOf(dataset),
    locality: { clusterNames: completeOf(copies).map(({ name }) => name) },
    attributes: { namespace: dataset.namespace, dataset: dataset.name },
    ...present({ size: bytes === undefined ? undefined : `${bytes}` }),
    reclaimPolicy: 'Retain',
  };
};

/** The copies as a DataSource lists them. */
export const sourceCopiesOf = (
  { name }: DatasetRef,
  copies: readonly DatasetCopy[],
): readonly DataSourceCopy[] =>
  completeOf(copies).map((copy) => {
    const { bytes, files, digest, time, path } = copy;
    return {
      cluster: copy.name,
      claim: copy.claim ?? name,
      ...present({ path: path || undefined, bytes, files, digest, time }),
    };
  });
