import type { KubeObject } from '@perigee/api/meta/object-meta';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isNotFound } from '@perigee/kube/errors';
import { Pod, type PodWritten } from '@perigee/kubernetes/core/pod';
import type { Expectations } from '../owned/expectations.ts';

type Context = Pick<ReconcileContext, 'client' | 'clock' | 'events'>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);

/** Each batch is twice as large as the last, so that a permanent error costs few requests. */
const inBatches = async <T>(
  items: readonly T[],
  run: (item: T) => Promise<boolean>,
): Promise<number> => {
  for (let from = 0, size = 1; from < items.length; from += size, size *= 2) {
    const batch = items.slice(from, from + size);
    const results = await Promise.all(batch.map(run));
    if (results.includes(false)) return items.length - from - batch.length;
  }
  return 0;
};

/** Creates pods of an owner. Returns the first error, if any. */
export const createPods = async (
  owner: KubeObject,
  pods: readonly PodWritten[],
  expectations: Expectations,
  { client, clock, events }: Context,
): Promise<Error | undefined> => {
  const { uid } = owner.metadata;
  let problem: Error | undefined;
  expectations.expectCreations(uid, pods.length, clock.monotonic());
  const skippedCount = await inBatches(pods, async (pod) => {
    try {
      const createdPod = await client.create(Pod, pod);
      events.normal(owner, 'SuccessfulCreate', `Created pod: ${createdPod.metadata.name}`);
      return true;
    } catch (error) {
      expectations.creationSettled(uid);
      events.warning(owner, 'FailedCreate', `Error creating: ${messageOf(error)}`);
      problem ??= error instanceof Error ? error : new Error(messageOf(error));
      return false;
    }
  });
  for (let remainder = skippedCount; remainder > 0; remainder--) expectations.creationSettled(uid);
  return problem;
};

/** Deletes pods of an owner. Returns the first error, if any. */
export const deletePods = async (
  owner: KubeObject,
  pods: readonly Pod[],
  expectations: Expectations,
  { client, clock, events }: Context,
): Promise<Error | undefined> => {
  const { uid: ownerUid } = owner.metadata;
  const uids = pods.map(({ metadata }) => metadata.uid);
  let problem: Error | undefined;
  expectations.expectDeletions(ownerUid, uids, clock.monotonic());
  await Promise.all(
    pods.map(async (pod) => {
      const { name, uid } = pod.metadata;
      try {
        await client.delete(Pod, refOf(pod), { preconditions: { uid } });
        events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${name}`);
      } catch (error) {
        expectations.deletionSettled(ownerUid, uid);
        if (isNotFound(error)) return;
        events.warning(owner, 'FailedDelete', `Error deleting: ${messageOf(error)}`);
        problem ??= error instanceof Error ? error : new Error(messageOf(error));
      }
    }),
  );
  return problem;
};
