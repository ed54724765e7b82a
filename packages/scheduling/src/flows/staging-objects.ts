import type { JsonObject } from '@perigee/schema/json';
import { MoverVolumes } from './mover-volumes.ts';
import { runName } from './operation-run-objects.ts';
import { renderMoverJob, TERMINATION_LOG } from './render-mover-job.ts';
import { ACCESS_KEY, SECRET_KEY, type StagingStore, stagedPlace } from './staging-store.ts';
import {
  datasetOf,
  metadataOf,
  servedTrees,
  servingName,
  type Transfer,
  type TransferOperation,
  type TransferWorld,
} from './transfer.ts';
import { secretOf } from './transfer-keys.ts';
import { moverContainer, sourceJob } from './transfer-objects.ts';

/** The keys of the store, in the Secret of the namespace. */
export interface StagingKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

const keysOf = ({ accessKey, secretKey }: StagingKeys) => ({
  [ACCESS_KEY]: accessKey,
  [SECRET_KEY]: secretKey,
});

/** The objects in the source cluster for the upload to the store: keys, orders and Job. */
export const stagingObjects = (
  transfer: Transfer,
  store: StagingStore,
  keys: StagingKeys,
  world: TransferWorld,
): readonly JsonObject[] => {
  const name = servingName(transfer);
  const attempt = runName(transfer.operation, transfer.attempt);
  const { namespace = '' } = transfer.operation.metadata;
  const moves = servedTrees(transfer, world).flatMap((from, tree) => {
    const to = stagedPlace(store, name, { namespace, name: attempt }, tree);
    return to === undefined ? [] : [{ from, to, isMirror: true }];
  });
  const volumes = new MoverVolumes(moves);
  const orders = moves.map(({ from, to }, at) => {
    const ends = { from: volumes.endOf(from), to: volumes.endOf(to) };
    const order = { ...ends, mode: 'sync', terminationMessage: TERMINATION_LOG };
    return [`order-${at}.json`, `${JSON.stringify(order, undefined, 2)}\n`] as const;
  });
  const containers = moves.map((move, at) =>
    moverContainer(`mover-${at}`, world.mover.image, `order-${at}.json`, volumes.mountsFor(move)),
  );
  const data = Object.fromEntries(orders);
  return [
    secretOf(transfer, name, keysOf(keys)),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(transfer, name), data },
    sourceJob(transfer, containers, volumes.volumes),
  ];
};

/** The objects in a target cluster, beside the Job, for the download from the store: keys and orders. */
export const unstagingObjects = (
  transfer: Transfer,
  keys: StagingKeys,
  world: TransferWorld,
): readonly JsonObject[] => {
  const { operation, attempt } = transfer;
  const name = runName(operation, attempt);
  const run = renderMoverJob(operation as TransferOperation, {
    dataset: datasetOf(transfer, world),
    findDataset: world.findDataset,
    runName: name,
    mover: world.mover,
    transfer: { isStaged: true },
  });
  if (run.kind === 'refused') return [];
  const metadata = metadataOf(transfer, name);
  return [
    secretOf(transfer, name, keysOf(keys)),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: run.files },
  ];
};
