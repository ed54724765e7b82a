import { hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import type { Client } from '@perigee/kube/client/client';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Pod } from '@perigee/kubernetes/core/pod';
import { TRACKING } from './count-pods.ts';

/** Pods without finalizer that the cache still shows with it. */
export class ReleasedPods {
  readonly #byJob = new Map<string, Set<string>>();

  add(job: string, pod: string): void {
    const pods = this.#byJob.get(job) ?? new Set<string>();
    this.#byJob.set(job, pods.add(pod));
  }

  /** Drops those that the cache shows without the finalizer, or not at all. */
  prune(job: string, cachedPods: readonly Pod[]): void {
    const pods = this.#byJob.get(job);
    if (pods === undefined) return;
    const heldUids = new Set(
      cachedPods.filter((pod) => hasFinalizer(pod, TRACKING)).map(({ metadata }) => metadata.uid),
    );
    for (const pod of pods) if (!heldUids.has(pod)) pods.delete(pod);
    if (pods.size === 0) this.#byJob.delete(job);
  }

  has(job: string, pod: string): boolean {
    return this.#byJob.get(job)?.has(pod) ?? false;
  }
}

/** Removes the finalizer from pods, which completes their deletion. Reports each that has none any more. */
export const releasePods = async (
  client: Client,
  pods: readonly Pod[],
  onReleased: (pod: Pod) => void = () => {},
): Promise<void> => {
  const release = async (pod: Pod): Promise<void> => {
    const finalizers = removeFinalizer(pod.metadata.finalizers, TRACKING);
    await setFinalizers(client, Pod, pod, finalizers).catch(ignoreNotFound);
    onReleased(pod);
  };
  const heldPods = pods.filter((pod) => hasFinalizer(pod, TRACKING));
  const outcomes = await Promise.allSettled(heldPods.map(release));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
};
