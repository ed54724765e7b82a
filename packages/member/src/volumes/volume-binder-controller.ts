import { addFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { ensure } from '@perigee/kube/client/ensure';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { PersistentVolume } from '@perigee/kubernetes/core/persistent-volume';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod } from '@perigee/kubernetes/core/pod';
import { StorageClass } from '@perigee/kubernetes/storage/storage-class';
import { parseTime } from '@perigee/schema/values/time';
import { isFinished } from '../pods/pod-state.ts';
import { CLAIM_PROTECTION, claimRefTo, isFor, newVolume, ownVolumeName } from './member-volume.ts';

export interface VolumeOptions {
  /** Delay from a claim to its volume. */
  readonly volumeMs?: number;
}

const BY_CLAIM = 'claims-in-use';
const BY_VOLUME = 'volume-wanted';

const claimsOf = ({ metadata: { namespace = '' }, spec }: Pod) =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [{ namespace, name: claim.claimName }],
  );

const keyOf = ({ namespace = '', name }: { readonly namespace?: string; readonly name: string }) =>
  `${namespace}/${name}`;

/** The volume for a claim: a provisioned one, or the one that it names once that exists and is free. */
const volumeFor = async (
  claim: PersistentVolumeClaim,
  { client, cache, events }: ReconcileContext,
): Promise<PersistentVolume | undefined> => {
  const { storageClassName, volumeName = ownVolumeName(claim) } = claim.spec ?? {};
  const ref = { name: volumeName };
  if (volumeName === ownVolumeName(claim)) {
    const cachedVolume = cache(PersistentVolume).get(ref);
    if (cachedVolume !== undefined) return cachedVolume;
    const { reclaimPolicy } =
      (storageClassName &&
        (await getOrUndefined(client, StorageClass, { name: storageClassName }))) ||
      {};
    const createdVolume = await ensure(
      client,
      PersistentVolume,
      newVolume(claim, reclaimPolicy ?? 'Delete'),
    );
    return createdVolume ?? client.get(PersistentVolume, ref);
  }
  const volume = cache(PersistentVolume).get(ref);
  if (volume === undefined) return undefined;
  if (!isFor(volume, claim)) {
    const message = `volume "${volumeName}" already bound to a different claim.`;
    events.warning(claim, 'FailedBinding', message);
    return undefined;
  }
  if (volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const spec = { ...volume.spec, claimRef: claimRefTo(claim) };
  return client.update(PersistentVolume, { ...volume, spec });
};

const bind = async (
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { client }: ReconcileContext,
): Promise<void> => {
  const { name } = volume.metadata;
  const finalizers = addFinalizer(claim.metadata.finalizers, CLAIM_PROTECTION);
  const isMarked =
    claim.spec?.volumeName === name && finalizers.length === claim.metadata.finalizers?.length;
  const namedClaim = isMarked
    ? claim
    : await client.update(PersistentVolumeClaim, {
        ...claim,
        metadata: { ...claim.metadata, finalizers },
        spec: { ...claim.spec, volumeName: name },
      });
  const { accessModes = [], capacity = {} } = volume.spec ?? {};
  const status = { ...namedClaim.status, phase: 'Bound', accessModes, capacity };
  await replaceStatus(client, PersistentVolumeClaim, namedClaim, status);
};

/** Removes the protection finalizer of a deleted claim once no pod uses it. */
const letGo = async (
  claim: PersistentVolumeClaim,
  { cache, client }: ReconcileContext,
): Promise<void> => {
  if (cache(Pod).byIndex(BY_CLAIM, keyOf(claim.metadata)).length > 0) return;
  const finalizers = removeFinalizer(claim.metadata.finalizers, CLAIM_PROTECTION);
  await setFinalizers(client, PersistentVolumeClaim, claim, finalizers);
};

/** Binds every claim to a volume, after a delay. */
export const volumeBinderController = ({
  volumeMs = 1000,
}: VolumeOptions = {}): ControllerDefinition =>
  defineController({
    name: 'persistentvolume-binder-controller',
    for: PersistentVolumeClaim,
    concurrency: 8,
    indexes: [
      index(Pod, BY_CLAIM, (pod) => (isFinished(pod) ? [] : claimsOf(pod).map(keyOf))),
      index(PersistentVolumeClaim, BY_VOLUME, ({ spec, status }) =>
        spec?.volumeName && status?.phase !== 'Bound' ? [spec.volumeName] : [],
      ),
    ],
    watches: [
      watch(Pod, {
        atStart: false,
        when: (now) => now === undefined || isFinished(now),
        map: claimsOf,
      }),
      watch(PersistentVolume, {
        atStart: false,
        map: ({ metadata }, caches) =>
          caches(PersistentVolumeClaim).byIndex(BY_VOLUME, metadata.name).map(refOf),
      }),
    ],
    reconcile: async (ref, context) => {
      const claim = context.cache(PersistentVolumeClaim).get(ref);
      if (claim === undefined) return undefined;
      if (claim.metadata.deletionTimestamp !== undefined) {
        await letGo(claim, context);
        return undefined;
      }
      const { phase } = claim.status ?? {};
      const delayMs = parseTime(claim.metadata.creationTimestamp) + volumeMs - context.clock.now();
      if (phase !== 'Bound' && delayMs > 0) return { requeueAfterMs: delayMs };
      const volume = await volumeFor(claim, context);
      if (volume !== undefined) await bind(claim, volume, context);
      return undefined;
    },
  });
