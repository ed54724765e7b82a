import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';
import { claimedDataset, type DataPlanWorld } from '@perigee/scheduling/flows/data-plan-facts';
import { datasetSourceName } from '@perigee/scheduling/flows/dataset-source';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

/** Prices, limits and addresses; without them, whoever may not read the inventory plans as if there were none. */
const readRecords = async (client: Client): Promise<readonly ClusterRecord[]> => {
  try {
    return (await listAll(client, ClusterRecord)).items;
  } catch (error) {
    if (isForbidden(error) || isNotServed(error)) return [];
    throw error;
  }
};

/** Reads what a plan for the data of a claim rests on. */
export const readDataPlan = async (
  client: Client,
  ref: { readonly namespace: string; readonly name: string },
  nowMs: number,
): Promise<DataPlanWorld> => {
  const { namespace, name } = ref;
  const claim = await getOrUndefined(client, DataSourceClaim, ref);
  if (claim === undefined) {
    throw new CommandError(
      EXIT.notFound,
      `there is no DataSourceClaim ${name} in the namespace ${namespace}; "perigee data" shows those that there are`,
    );
  }
  const datasetName = claimedDataset(claim);
  const sourceName =
    claim.status?.boundDataSource ??
    (datasetName === undefined ? undefined : datasetSourceName({ namespace, name: datasetName }));
  const [source, dataset, placed, records, bindings, ...operations] = await Promise.all([
    sourceName === undefined ? undefined : getOrUndefined(client, DataSource, { name: sourceName }),
    datasetName === undefined
      ? undefined
      : getOrUndefined(client, Dataset, { namespace, name: datasetName }),
    readPlacementClusters(client, { nowMs }),
    readRecords(client),
    listAll(client, ResourceBinding, { namespace }),
    ...OPERATION_KINDS.map((kind) => listAll(client, kind, { namespace })),
  ]);
  return {
    nowMs,
    claim,
    source,
    dataset,
    members: placed.clusters,
    facts: placed.facts,
    records,
    bindings: bindings.items,
    operations: operations.flatMap(({ items }): readonly Operation[] => items),
  };
};
