import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { findCondition } from '@perigee/api/values/conditions';
import { datasetSourceName } from '../../flows/dataset-source.ts';
import { conditionParts, fact, nameList, type ObjectExplanation } from './object-explanation.ts';

const copyText = ({ state, cached, cachedPercentage, operation, message }: DatasetCopy): string =>
  [
    state,
    ...(cached === undefined ? [] : [cached]),
    ...(cachedPercentage === undefined || state === 'Complete' ? [] : [cachedPercentage]),
    ...(operation === undefined ? [] : [`by ${operation}`]),
    ...(message === undefined ? [] : [message]),
  ].join(', ');

const placesText = (copies: readonly DatasetCopy[], hasOrigin: boolean): string => {
  const complete = copies.filter(({ state }) => state === 'Complete').map(({ name }) => name);
  if (complete.length > 0) return `all of its data is in ${nameList(complete)}`;
  const loadingClusters = copies.filter(({ state }) => state === 'Loading').map(({ name }) => name);
  if (loadingClusters.length > 0) return `its data is on its way to ${nameList(loadingClusters)}`;
  return hasOrigin
    ? 'no cluster has its data; a DataLoad brings it to one'
    : 'it has no data yet: no mounts that say where it is, and nothing that an operation wrote';
};

/** Explains the clusters of a Dataset's data. */
export const explainDataset = ({ metadata, spec, status }: Dataset): ObjectExplanation => {
  const { namespace = '', name } = metadata;
  const { clusters = [], operationRef = {}, ufsTotal, fileNum } = status ?? {};
  const ready = findCondition(status?.conditions, 'Ready');
  const isRefused = ready?.status === 'False';
  const hasData = clusters.some(({ state }) => state === 'Complete');
  const mounts = (spec.mounts ?? []).map(({ mountPoint }) => mountPoint);
  const places = placesText(clusters, mounts.length > 0 || status?.origin !== undefined);
  const refusal = isRefused ? `; ${ready?.message}` : '';
  return {
    resource: { apiVersion: apiVersionOf(Dataset), kind: Dataset.kind, namespace, name },
    state: hasData && !isRefused ? 'well' : 'waiting',
    summary: `${status?.phase || 'New'}: ${places}${refusal}`,
    ...conditionParts('Dataset', isRefused ? ready : undefined),
    facts: [
      ...fact('mounts', nameList(mounts)),
      ...fact('size', ufsTotal),
      ...fact('files', fileNum),
      ...clusters.map((copy) => ({ name: `in ${copy.name}`, value: copyText(copy) })),
      ...Object.entries(operationRef).flatMap(([kind, names]) => fact(`at work: ${kind}`, names)),
      { name: 'DataSource', value: datasetSourceName({ namespace, name }) },
    ],
    conditions: status?.conditions ?? [],
    commands: [`perigee data whereis ${datasetSourceName({ namespace, name })}`],
  };
};
