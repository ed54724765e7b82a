import { filled, objectAt } from '@perigee/schema/json-fields';
import type { Default } from '../type-defaults.ts';

const withPhase: Default = (object) => {
  const status = objectAt(object, 'status');
  return status.phase === undefined
    ? { ...object, status: { ...status, phase: 'Pending' } }
    : object;
};

const csiDriver: Default = (spec) =>
  filled(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });

export const STORAGE_DEFAULTS: readonly (readonly [type: string, apply: Default])[] = [
  ['core.v1.PersistentVolume', withPhase],
  [
    'core.v1.PersistentVolumeSpec',
    (spec) => filled(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
  ],
  ['core.v1.PersistentVolumeClaim', withPhase],
  ['core.v1.PersistentVolumeClaimSpec', (spec) => filled(spec, { volumeMode: 'Filesystem' })],
  [
    'storage.v1.StorageClass',
    (storageClass) =>
      filled(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  ],
  ['storage.v1.CSIDriverSpec', csiDriver],
];
