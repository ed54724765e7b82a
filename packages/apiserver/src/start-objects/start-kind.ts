import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';

/** A kind whose objects are written here and read by others. */
export type StartKind = ResourceKind<KubeObject, WrittenObject>;

export const startKind = (
  group: string,
  kind: string,
  plural: string,
  scope: StartKind['scope'] = 'Namespaced',
): StartKind => ({ group, version: 'v1', kind, plural, scope });
