import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import type { DatasetRef } from '@perigee/scheduling/flows/dataset-source';
import { isRunHere } from '@perigee/scheduling/flows/operation';
import { operationsAbout } from './dataset-indexes.ts';
import { kindOf } from './operation-indexes.ts';

/**
 * Deletes the operations of a dataset that is being deleted, like the owner references of Fluid. To
 * give each operation such a reference would cost a write; running operations end with their Jobs either way.
 */
export const removeOperations = async (
  dataset: DatasetRef,
  { cache, client, signal }: ReconcileContext,
): Promise<void> => {
  const operations = operationsAbout(cache, dataset).filter(
    (one) => isRunHere(one) && one.metadata.deletionTimestamp === undefined,
  );
  for (const operation of operations) {
    const kind = kindOf(operation.kind);
    const preconditions = { uid: operation.metadata.uid };
    const options = { preconditions, propagationPolicy: 'Background', signal } as const;
    if (kind !== undefined) {
      await client.delete(kind, refOf(operation), options).catch(ignoreNotFound);
    }
  }
};
