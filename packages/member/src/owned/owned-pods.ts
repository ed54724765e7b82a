import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { controllerOf } from '@perigee/api/values/owner-references';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { LOW_PRIORITY, type Source } from '@perigee/kube/controller/source';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { Expectations } from './expectations.ts';

export interface OwnedPodsOptions {
  readonly expectations?: Expectations;
  /** Delay for batching changes of pods of one owner; none by default. */
  readonly batchMs?: number;
  /** Owners that might adopt an orphan. */
  readonly wantedBy?: (pod: Pod, caches: Caches) => Iterable<KubeObject>;
}

const groupOf = (apiVersion: string): string => apiVersion.split('/').slice(0, -1).join('/');

const isOfKind = (owner: OwnerReference, { group, kind }: ResourceKind): boolean =>
  owner.kind === kind && groupOf(owner.apiVersion) === group;

const refIn = (namespace: string | undefined, name: string): ObjectRef =>
  namespace === undefined ? { name } : { namespace, name };

/** Reconciles the controller of a changed pod, and settles its expectations. */
export const ownedPods = (
  ownerKind: ResourceKind,
  { expectations, wantedBy, batchMs = 0 }: OwnedPodsOptions = {},
): Source => ({
  kinds: [Pod],
  start: ({ informers, caches, enqueue }) => {
    expectations?.clear();
    const ownerOf = (pod: Pod): OwnerReference | undefined => {
      const owner = controllerOf(pod);
      return owner !== undefined && isOfKind(owner, ownerKind) ? owner : undefined;
    };
    const enqueueFor = (pod: Pod, priority: number): void => {
      const { namespace } = pod.metadata;
      const owner = ownerOf(pod);
      if (owner !== undefined)
        enqueue(refIn(namespace, owner.name), { priority, delayMs: batchMs });
      else if (wantedBy !== undefined && controllerOf(pod) === undefined) {
        for (const { metadata } of wantedBy(pod, caches)) {
          enqueue(refIn(namespace, metadata.name), { priority, delayMs: batchMs });
        }
      }
    };
    const settleDeletion = (pod: Pod): void => {
      const owner = ownerOf(pod);
      if (owner !== undefined) expectations?.deletionSettled(owner.uid, pod.metadata.uid);
    };
    return informers.for(Pod).addHandler({
      onAdd: (pod, { initial }) => {
        const owner = ownerOf(pod);
        if (owner !== undefined) expectations?.creationSettled(owner.uid);
        if (pod.metadata.deletionTimestamp !== undefined) settleDeletion(pod);
        enqueueFor(pod, initial ? LOW_PRIORITY : 0);
      },
      onUpdate: (pod, old) => {
        if (pod.metadata.deletionTimestamp !== undefined) settleDeletion(pod);
        if (ownerOf(pod)?.uid !== ownerOf(old)?.uid) enqueueFor(old, 0);
        enqueueFor(pod, 0);
      },
      onDelete: (pod) => {
        settleDeletion(pod);
        enqueueFor(pod, 0);
      },
    });
  },
});
