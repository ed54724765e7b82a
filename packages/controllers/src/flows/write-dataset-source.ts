import { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import {
  type DatasetRef,
  datasetSourceName,
  isSourceOf,
  sourceCopiesOf,
  sourceSpecOf,
} from '@perigee/scheduling/flows/dataset-source';
import { sameJson } from '@perigee/schema/same-json';

const FIELD_MANAGER = 'perigee-datasets';

const writeSpec = async (
  dataset: DatasetRef,
  copies: readonly DatasetCopy[],
  present: DataSource | undefined,
  { client, signal }: ReconcileContext,
): Promise<DataSource> => {
  const spec = sourceSpecOf(dataset, copies);
  const options = { fieldManager: FIELD_MANAGER, signal };
  if (present === undefined) {
    const metadata = { name: datasetSourceName(dataset) };
    return client.create(DataSource, { metadata, spec }, options);
  }
  return sameJson(spec as never, present.spec as never)
    ? present
    : client.update(DataSource, { ...present, spec }, options);
};

/** Writes the copies of a dataset to its DataSource. Returns the name of a conflicting DataSource of other data. */
export const writeDatasetSource = async (
  dataset: DatasetRef,
  copies: readonly DatasetCopy[],
  context: ReconcileContext,
): Promise<string | undefined> => {
  const { cache, client, signal } = context;
  const name = datasetSourceName(dataset);
  const present = cache(DataSource).get({ name });
  if (present !== undefined && !isSourceOf(present, dataset)) return name;
  // A terminating one is created anew once it is gone.
  if (present?.metadata.deletionTimestamp !== undefined) return undefined;
  const source = await writeSpec(dataset, copies, present, context);
  const sourceCopies = sourceCopiesOf(dataset, copies);
  if (sameJson(sourceCopies as never, (source.status?.copies ?? []) as never)) return undefined;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, DataSource, source, { copies: sourceCopies }, options);
  return undefined;
};

/** Deletes the DataSource of a dataset, unless it belongs to other data. */
export const removeDatasetSource = async (
  dataset: DatasetRef,
  { cache, client, signal }: ReconcileContext,
): Promise<void> => {
  const present = cache(DataSource).get({ name: datasetSourceName(dataset) });
  if (present === undefined || !isSourceOf(present, dataset)) return;
  if (present.metadata.deletionTimestamp !== undefined) return;
  const preconditions = { uid: present.metadata.uid };
  await client.delete(DataSource, refOf(present), { preconditions, signal }).catch(ignoreNotFound);
};
