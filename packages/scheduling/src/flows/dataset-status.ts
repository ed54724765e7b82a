import type { Dataset, DatasetStatus } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { Copies } from './dataset-copies.ts';
import { latestCopy } from './dataset-source.ts';
import { datasetUses } from './dataset-uses.ts';
import { type Bytes, humanSize } from './human-size.ts';
import type { Operation } from './operation.ts';

const percent = (part: Bytes, whole: Bytes): string =>
  `${Math.min(100, (100 * Number(part)) / Math.max(1, Number(whole))).toFixed(1)}%`;

/** The copy with its percentage of the data. */
const withPercentage = (copy: DatasetCopy, total: Bytes | undefined): DatasetCopy => {
  const { state, bytes, cachedPercentage } = copy;
  if (state === 'Evicted') return copy;
  const part =
    state === 'Complete'
      ? '100.0%'
      : state === 'Partial' && total !== undefined && bytes !== undefined
        ? percent(bytes, total)
        : cachedPercentage;
  return {
    ...copy,
    ...present({
      cached: bytes === undefined ? undefined : humanSize(bytes),
      cachedPercentage: part,
    }),
  };
};

const shareOf = ({ cachedPercentage = '0' }: DatasetCopy): number =>
  Number.parseFloat(cachedPercentage);

/** Limit of operations in the status: thousands may run at once, and each change is a write. */
const MOST_NAMED = 100;

const isExecuting = ({ status }: Operation): boolean => status?.phase === 'Executing';

const workersBy = (operations: readonly Operation[]): { readonly [kind: string]: string } => {
  const names = Map.groupBy(operations.filter(isExecuting), ({ kind }) => kind);
  return Object.fromEntries(
    [...names]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, ones]) => [
        kind,
        ones
          .map(({ metadata }) => metadata.name)
          .sort()
          .slice(0, MOST_NAMED)
          .join(','),
      ]),
  );
};

const isMigrating = (dataset: string, operations: readonly Operation[]): boolean =>
  operations.some(
    (one) =>
      one.kind === 'DataMigrate' &&
      isExecuting(one) &&
      datasetUses(one).some((use) => use.dataset === dataset && use.does === 'write'),
  );

export interface DatasetFacts {
  readonly copies: Copies;
  /** The operations that use the dataset. */
  readonly operations: readonly Operation[];
  /** The DataSource of foreign data that occupies the name of the dataset's own. */
  readonly otherSource?: string | undefined;
}

const readiness = (otherSource: string | undefined): NewCondition<'Dataset', 'Ready'> =>
  otherSource === undefined
    ? {
        type: 'Ready',
        status: 'True',
        reason: 'DatasetBound',
        message: 'operations can work on it',
      }
    : {
        type: 'Ready',
        status: 'False',
        reason: 'DataSourceTaken',
        message: `the DataSource ${otherSource} is about other data: delete it`,
      };

/** The status of a dataset, per cluster and in total. Metrics of a Fluid runtime are left out. */
export const datasetStatus = (
  { metadata, spec, status }: Dataset,
  { copies, operations, otherSource }: DatasetFacts,
  nowMs: number,
): DatasetStatus => {
  const total = latestCopy(copies.clusters);
  const clusters = copies.clusters.map((copy) => withPercentage(copy, total?.bytes));
  const fullest = clusters
    .filter(({ state }) => state !== 'Evicted' && state !== 'Stale')
    .toSorted((a, b) => shareOf(b) - shareOf(a))[0];
  const workers = workersBy(operations);
  return {
    phase: isMigrating(metadata.name, operations) ? 'DataMigrating' : 'Bound',
    ...present({ mounts: spec.mounts }),
    // Never absent: Fluid's client in Python counts them when it deletes a dataset.
    runtimes: spec.runtimes ?? [],
    conditions: setCondition(status?.conditions, readiness(otherSource), nowMs),
    ...present({
      ufsTotal: total?.bytes === undefined ? undefined : humanSize(total.bytes),
      fileNum: total?.files === undefined ? undefined : `${total.files}`,
    }),
    cacheStates: {
      ...present({ cached: fullest === undefined ? humanSize(0) : fullest.cached }),
      cachedPercentage: fullest?.cachedPercentage ?? '0.0%',
    },
    ...present({
      operationRef: Object.keys(workers).length === 0 ? undefined : workers,
      origin: copies.origin,
      clusters: unlessEmpty(clusters),
    }),
  };
};
