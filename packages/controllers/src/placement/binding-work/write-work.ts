import { Work } from '@perigee/api/kinds/placement/work';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { type DesiredWork, workToWrite } from '@perigee/scheduling/placement/work/desired-work';
import { mayWrite } from '@perigee/scheduling/placement/work/work-identity';
import { RefusedWorkError } from '../../errors.ts';

type Access = Pick<ReconcileContext, 'cache' | 'client' | 'clock' | 'signal'>;

const FIELD_MANAGER = 'perigee-binding';

/**
 * Creates or updates a Work if it differs. A terminating one is left to go
 * first, and one of another binding is not touched.
 */
export const writeWork = async (
  desired: DesiredWork,
  { cache, client, clock, signal }: Access,
  binding?: ObjectRef,
): Promise<void> => {
  const { namespace, name } = desired;
  const present = cache(Work).get({ namespace, name });
  if (present?.metadata.deletionTimestamp !== undefined) return;
  if (present !== undefined && binding && !mayWrite(present, binding, desired.manifest)) {
    const message = `the Work ${namespace}/${name} carries something else; delete it if it is of no use`;
    throw new RefusedWorkError('WorkOfAnother', message);
  }
  const next = workToWrite(desired, present, () => clock.uuid());
  if (next === undefined) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  if (present === undefined) await client.create(Work, next, options);
  else await client.update(Work, next, options);
};

/** Deletes a Work unless it is terminating already. */
export const deleteWork = async (
  work: Work,
  { client, signal }: Pick<Access, 'client' | 'signal'>,
): Promise<void> => {
  const { uid, deletionTimestamp } = work.metadata;
  if (deletionTimestamp !== undefined) return;
  const options = { preconditions: { uid }, signal };
  await client.delete(Work, refOf(work), options).catch(ignoreNotFound);
};
