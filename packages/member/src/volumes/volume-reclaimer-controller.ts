import { removeFinalizer } from '@perigee/api/values/finalizers';
import type { ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { PersistentVolume } from '@perigee/kubernetes/core/persistent-volume';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { VOLUME_PROTECTION, volumeHandle } from './member-volume.ts';

/** Deletes the files of a volume; absent in members without processes. */
export type RemoveFiles = (volume: PersistentVolume) => Promise<void>;

/** The claim of a volume, read from the server, as files are deleted depending on it. */
const holderOf = async (
  { spec }: PersistentVolume,
  { client }: ReconcileContext,
): Promise<PersistentVolumeClaim | undefined> => {
  const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
  if (name === '') return undefined;
  const claim = await getOrUndefined(client, PersistentVolumeClaim, { namespace, name });
  return claim !== undefined && (!uid || claim.metadata.uid === uid) ? claim : undefined;
};

const phaseOf = ({ spec }: PersistentVolume, holder: PersistentVolumeClaim | undefined): string => {
  if (spec?.claimRef === undefined) return 'Available';
  if (holder !== undefined) return 'Bound';
  // Reserved for a claim that does not exist yet.
  return spec.claimRef.uid ? 'Released' : 'Available';
};

/** Reads the volume anew: its reclaim policy may just have become Retain. */
const reclaim = async (
  ref: ObjectRef,
  removeFiles: RemoveFiles,
  { client }: ReconcileContext,
): Promise<void> => {
  const volume = await getOrUndefined(client, PersistentVolume, ref);
  if (volume?.spec?.persistentVolumeReclaimPolicy !== 'Delete') return;
  if (volumeHandle(volume) === undefined) return;
  await removeFiles(volume);
  const preconditions = { uid: volume.metadata.uid };
  await client.delete(PersistentVolume, ref, { preconditions }).catch(ignoreNotFound);
};

/** Keeps the phase of volumes, and retains or deletes those whose claim is gone, with their files. */
export const volumeReclaimerController = (removeFiles: RemoveFiles): ControllerDefinition =>
  defineController({
    name: 'persistentvolume-reclaimer-controller',
    for: PersistentVolume,
    watches: [
      watch(PersistentVolumeClaim, {
        atStart: false,
        when: (now) => now === undefined,
        map: ({ spec }) => (spec?.volumeName ? [{ name: spec.volumeName }] : []),
      }),
    ],
    concurrency: 4,
    reconcile: async (ref, context) => {
      const { cache, client } = context;
      const volume = cache(PersistentVolume).get(ref);
      if (volume === undefined) return undefined;
      const holder = await holderOf(volume, context);
      const phase = phaseOf(volume, holder);
      if (volume.metadata.deletionTimestamp !== undefined) {
        if (phase === 'Bound') return undefined;
        const finalizers = removeFinalizer(volume.metadata.finalizers, VOLUME_PROTECTION);
        await setFinalizers(client, PersistentVolume, volume, finalizers);
        return undefined;
      }
      await replaceStatus(client, PersistentVolume, volume, { phase });
      if (phase === 'Released') await reclaim(ref, removeFiles, context);
      return undefined;
    },
  });
