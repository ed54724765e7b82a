import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';
import { claimData } from '@perigee/scheduling/data/claim-data';
import { locatedCluster } from '@perigee/scheduling/data/locality';
import {
  type ClaimedData,
  claimedDataset,
  type DataPlanWorld,
} from '@perigee/scheduling/flows/data-plan-world';
import { datasetSourceName } from '@perigee/scheduling/flows/dataset-source';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { mountedDatasets } from '@perigee/scheduling/flows/written-data';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

/** For a user who may not read the inventory there are no prices, limits and addresses. */
const readAll = async <K extends ResourceKind>(
  client: Client,
  kind: K,
): Promise<readonly StoredObjectOf<K>[]> => {
  try {
    return (await listAll(client, kind)).items;
  } catch (error) {
    if (isForbidden(error) || isNotServed(error)) return [];
    throw error;
  }
};

const readClaimedData = async (client: Client, claim: DataSourceClaim): Promise<ClaimedData> => {
  const { namespace = '' } = claim.metadata;
  const datasetName = claimedDataset(claim);
  const sourceName =
    claim.status?.boundDataSource ??
    (datasetName === undefined ? undefined : datasetSourceName({ namespace, name: datasetName }));
  const source =
    sourceName === undefined
      ? undefined
      : await getOrUndefined(client, DataSource, { name: sourceName });
  const readDataset = (called: string | undefined) =>
    called === undefined ? undefined : getOrUndefined(client, Dataset, { namespace, name: called });
  const dataset = await readDataset(claimedDataset(claim, source));
  const mounted = await Promise.all([...new Set(mountedDatasets(dataset))].map(readDataset));
  return { claim, source, dataset, mounts: mounted.filter((one) => one !== undefined) };
};

/** Reads the inputs of a plan for the data of a claim. */
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
  const [data, placementClusters, records, bindings, claims, sources, ...operations] =
    await Promise.all([
      readClaimedData(client, claim),
      readPlacementClusters(client, { nowMs }),
      readAll(client, ClusterRecord),
      listAll(client, ResourceBinding, { namespace }),
      listAll(client, DataSourceClaim, { namespace }),
      readAll(client, DataSource),
      ...OPERATION_KINDS.map((kind) => listAll(client, kind, { namespace })),
    ]);
  const others = claims.items.filter(
    ({ metadata, spec }) => spec.onMissing === 'Copy' && metadata.name !== claim.metadata.name,
  );
  const located = new Map(
    placementClusters.clusters.map((one) => [one.metadata.name, locatedCluster(one)]),
  );
  const world = {
    source: (called: string) => sources.find(({ metadata }) => metadata.name === called),
    clusters: () => located,
  };
  return {
    ...data,
    nowMs,
    others: await Promise.all(others.map((one) => readClaimedData(client, one))),
    claims: claims.items.map((one) => claimData(one, world)),
    members: placementClusters.clusters,
    facts: placementClusters.facts,
    records,
    bindings: bindings.items,
    operations: operations.flatMap(({ items }): readonly Operation[] => items),
  };
};
