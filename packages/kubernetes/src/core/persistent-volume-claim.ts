import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { WrittenResourceList } from '@perigee/api/values/resource-list';

interface ClaimParts {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: WrittenResourceList };
  };
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: WrittenResourceList;
  };
}

export type PersistentVolumeClaim = KubeObject & ClaimParts;
export type PersistentVolumeClaimWritten = WrittenObject & ClaimParts;

export const PersistentVolumeClaim: ResourceKind<
  PersistentVolumeClaim,
  PersistentVolumeClaimWritten
> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  scope: 'Namespaced',
};
