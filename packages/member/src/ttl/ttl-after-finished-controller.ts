import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { isJobFinished, Job } from '@perigee/kubernetes/batch/job';
import { parseTime } from '@perigee/schema/values/time';

/** Expiry of a job; undefined when it has no TTL, or is not finished. */
const expiryOf = (job: Job): number | undefined => {
  const { ttlSecondsAfterFinished: seconds } = job.spec;
  if (seconds === undefined || !isJobFinished(job)) return undefined;
  const end = (job.status?.conditions ?? []).find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return end?.lastTransitionTime === undefined
    ? undefined
    : parseTime(end.lastTransitionTime) + seconds * 1000;
};

/** Deletes finished jobs after their TTL. */
export const ttlAfterFinishedController = (): ControllerDefinition =>
  defineController({
    name: 'ttl-after-finished-controller',
    for: Job,
    when: (now) => now !== undefined && isJobFinished(now),
    reconcile: async (ref, { cache, client, clock }) => {
      const job = cache(Job).get(ref);
      const expiry = job && expiryOf(job);
      if (job === undefined || expiry === undefined) return undefined;
      const remainingMs = expiry - clock.now();
      if (remainingMs > 0) return { requeueAfterMs: remainingMs };
      const { uid } = job.metadata;
      const options = { propagationPolicy: 'Foreground', preconditions: { uid } } as const;
      await client.delete(Job, ref, options).catch(ignoreNotFound);
      return undefined;
    },
  });
