import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

interface StorageClassFields {
  readonly provisioner?: string;
  readonly reclaimPolicy?: 'Delete' | 'Retain';
}

export type StorageClass = KubeObject & StorageClassFields;

export const StorageClass: ResourceKind<StorageClass, WrittenObject & StorageClassFields> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
};
