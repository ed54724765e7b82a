import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';

export interface ClaimRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface PersistentVolumeSpec {
  readonly accessModes?: readonly string[];
  readonly capacity?: WrittenResourceList;
  readonly claimRef?: ClaimRef;
  readonly persistentVolumeReclaimPolicy?: 'Delete' | 'Retain' | 'Recycle';
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly csi?: { readonly driver: string; readonly volumeHandle: string };
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly local?: { readonly path: string };
}

interface VolumeParts {
  readonly spec?: PersistentVolumeSpec;
  readonly status?: { readonly phase?: string };
}

export type PersistentVolume = KubeObject & VolumeParts;

export const PersistentVolume: ResourceKind<PersistentVolume, WrittenObject & VolumeParts> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  scope: 'Cluster',
};
