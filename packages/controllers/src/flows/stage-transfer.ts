import type { Work } from '@perigee/api/kinds/placement/work';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { stagingObjects, unstagingObjects } from '@perigee/scheduling/flows/staging-objects';
import type { StagingStore } from '@perigee/scheduling/flows/staging-store';
import type { Transfer, TransferWorld } from '@perigee/scheduling/flows/transfer';
import { deleteWork, writeWork } from '../placement/binding-work/write-work.ts';
import { stagingKeys } from './staging-keys.ts';
import {
  clusterOfWork,
  servingReport,
  targetsHaveAddress,
  transferWork,
} from './transfer-works.ts';

/** The Works of a transfer, and its clusters. */
interface TransferState {
  readonly from: string;
  readonly targets: readonly string[];
  readonly works: readonly Work[];
}

/** Transfers the data through the staging store: an upload in the source cluster, then downloads in the targets. */
export const stageTransfer = async (
  transfer: Transfer,
  staging: StagingStore,
  { from, targets, works }: TransferState,
  world: TransferWorld,
  context: ReconcileContext,
): Promise<void> => {
  const { operation } = transfer;
  const keys = await stagingKeys(staging, operation.metadata.namespace ?? '', context);
  if (keys === undefined) return;
  const report = servingReport(works.filter((work) => clusterOfWork(work) === from));
  const objects = [
    ...stagingObjects(transfer, staging, keys, world).map((object) => [from, object] as const),
    ...(report?.isStaged === true || targetsHaveAddress(works, from)
      ? targets.flatMap((target) =>
          unstagingObjects(transfer, keys, world).map((object) => [target, object] as const),
        )
      : []),
  ];
  const current = new Set<string>();
  for (const [cluster, object] of objects) {
    const desired = transferWork(operation, cluster, object);
    current.add(`${desired.namespace}/${desired.name}`);
    await writeWork(desired, context);
  }
  const old = works.filter(
    ({ metadata }) => !current.has(`${metadata.namespace}/${metadata.name}`),
  );
  await Promise.all(old.map((work) => deleteWork(work, context)));
};
