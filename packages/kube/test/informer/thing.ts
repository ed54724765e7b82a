import type { KubeObject, WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

export interface Thing extends KubeObject {
  readonly spec?: { readonly size: number };
  readonly status?: { readonly seen: number };
}

export interface WrittenThing {
  readonly metadata: WrittenMeta;
  readonly spec?: Thing['spec'];
  readonly status?: Thing['status'];
}

/** A kind that exists for tests alone. */
export const Thing: ResourceKind<Thing, WrittenThing> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};

export const thing = (
  name: string,
  { namespace = 'a', size = 1, labels = {} as Record<string, string> } = {},
): WrittenThing => ({ metadata: { name, namespace, labels }, spec: { size } });

export const at = (name: string, namespace = 'a') => ({ name, namespace });
