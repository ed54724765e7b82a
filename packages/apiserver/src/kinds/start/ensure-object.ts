import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { isAlreadyExists } from '@perigee/kube/errors';

/** A kind whose objects are written here and read by others. */
export type StartKind = ResourceKind<KubeObject, WrittenObject>;

export const startKind = (
  group: string,
  kind: string,
  plural: string,
  scope: StartKind['scope'] = 'Namespaced',
): StartKind => ({ group, version: 'v1', kind, plural, scope });

/** Creates an object where it is missing, and brings the fields that are given up to date. */
export const ensureObject = async (
  client: Client,
  kind: StartKind,
  object: WrittenObject,
  kept: object = {},
): Promise<void> => {
  const { name = '', namespace } = object.metadata;
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    if (Object.keys(kept).length === 0) return;
    const ref = namespace === undefined ? { name } : { name, namespace };
    await client.patch(kind, ref, { type: 'merge', body: kept });
  }
};
