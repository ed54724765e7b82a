import type { WrittenObjectOf } from '@perigee/api/meta/resource-kind';
import type { ClaimRef, PersistentVolume } from '@perigee/kubernetes/core/persistent-volume';
import type { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { present } from '@perigee/schema/present';

/** CSI driver of volumes that are folders of the member. */
const VOLUME_DRIVER = 'volumes.member.perigee.io';

/** Finalizer that keeps a claim while a pod uses it; Kubernetes has that name. */
export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

/** Safe as a folder name: no separators, no dots. */
const HANDLE = /^[a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?$/;

/** Folder name of a volume; undefined for those of other drivers. */
export const volumeHandle = ({ spec }: PersistentVolume): string | undefined => {
  const { driver, volumeHandle: handle = '' } = spec?.csi ?? {};
  return driver === VOLUME_DRIVER && HANDLE.test(handle) ? handle : undefined;
};

/** The name of the volume provisioned for a claim. */
export const ownVolumeName = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`;

export const claimRefTo = ({
  metadata: { namespace = '', name, uid },
}: PersistentVolumeClaim): ClaimRef => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  namespace,
  name,
  uid,
});

/** True for a volume that is bound to the claim, or free for it. */
export const isFor = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean => {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (spec?.claimRef === undefined) return true;
  return (
    namespace === metadata.namespace && name === metadata.name && (!uid || uid === metadata.uid)
  );
};

/** The volume to provision for a claim that names none. */
export const newVolume = (
  claim: PersistentVolumeClaim,
  persistentVolumeReclaimPolicy: 'Delete' | 'Retain',
): WrittenObjectOf<typeof PersistentVolume> & { readonly metadata: { readonly name: string } } => {
  const { accessModes = [], resources, storageClassName, volumeMode } = claim.spec ?? {};
  const name = ownVolumeName(claim);
  return {
    metadata: { name, finalizers: [VOLUME_PROTECTION] },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.storage ?? '1Gi' },
      claimRef: claimRefTo(claim),
      persistentVolumeReclaimPolicy,
      ...present({ storageClassName: storageClassName || undefined, volumeMode }),
      csi: { driver: VOLUME_DRIVER, volumeHandle: name },
    },
  };
};
