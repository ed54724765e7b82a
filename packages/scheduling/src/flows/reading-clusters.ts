import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { datasetAt } from './migrate-ends.ts';
import { isSimulated, type Operation } from './operation.ts';
import type { Word } from './operation-conditions.ts';
import type { PlacingFacts } from './place-operation.ts';

/** User code and backups need the data in their cluster; the others bring it. */
export const needsData = (operation: Operation, { copiesDatasets }: PlacingFacts): boolean => {
  if (copiesDatasets) return true;
  const { kind, metadata, spec } = operation;
  if (kind === 'DataProcess') {
    return (spec as { dataset: { mountPath: string } }).dataset.mountPath !== '';
  }
  if (kind !== 'DataMigrate') return kind === 'DataBackup';
  return datasetAt((operation as DataMigrate).spec.from, metadata.namespace ?? '') !== undefined;
};

/**
 * A mere copy needs the dataset in its cluster, while user code may fetch data itself. Of data that was somewhere the
 * rest can be read where there is any: elsewhere is an empty claim.
 */
export const missingCopy = (
  operation: Operation,
  allowed: readonly string[],
  facts: PlacingFacts,
): Word<'Placed'> | undefined => {
  const { originOf, datasetClusters, predecessors, policy, remains } = facts;
  if (operation.kind === 'DataProcess' || !needsData(operation, facts)) return undefined;
  if (datasetClusters.length > 0) return undefined;
  const noCopy = (message: string) => ({ status: 'False', reason: 'NoCopy', message }) as const;
  if (originOf !== undefined && predecessors.length === 0) {
    return noCopy(`no cluster has all of the dataset ${originOf}: bring it to one with a DataLoad`);
  }
  if (remains === undefined) return undefined;
  const isPlaced = operation.spec.placement !== undefined || policy !== undefined;
  const readers = isPlaced ? allowed : predecessors;
  const hasAll = readers.length > 0 && readers.every((name) => remains.clusters.includes(name));
  return hasAll ? undefined : noCopy(`no cluster has all of ${remains.of}`);
};

/** The clusters in which an operation can read its data, by where it lies there. */
export const readersByPlace = (
  operation: Operation,
  candidates: readonly string[],
  facts: PlacingFacts,
): readonly (readonly string[])[] => {
  const { layoutOf, datasetClusters } = facts;
  if (layoutOf === undefined || isSimulated(operation) || !needsData(operation, facts)) return [];
  const readers = candidates.filter((name) => datasetClusters.includes(name));
  return [...Map.groupBy(readers, layoutOf).values()];
};
