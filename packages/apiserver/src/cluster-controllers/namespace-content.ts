import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { refOf } from '@perigee/kube/client/ref-of';
import { ignoreNotFound, isNotServed } from '@perigee/kube/errors';

/** Remaining objects of one resource in a namespace under deletion. */
export interface Remainder {
  /** With its group: `deployments.apps`. */
  readonly resource: string;
  readonly objects: readonly KubeObject[];
  /** Why its objects could not be deleted or counted. */
  readonly problem?: string;
}

const kindOf = ({
  group,
  version,
  kind,
  plural,
  scope,
}: ApiResource): ResourceKind<KubeObject> => ({
  group,
  version,
  kind,
  plural,
  scope,
});

const nameOf = ({ group, plural }: ApiResource): string =>
  group === '' ? plural : `${plural}.${group}`;

/** The resources whose objects are in namespaces and can be deleted, each in one version. */
export const namespacedResources = (resources: readonly ApiResource[]): readonly ApiResource[] => {
  const byName = new Map<string, ApiResource>();
  for (const resource of resources) {
    const { scope, verbs } = resource;
    const canEnd = verbs.includes('list') && verbs.includes('delete');
    if (scope !== 'Namespaced' || !canEnd) continue;
    const listedResource = byName.get(nameOf(resource));
    if (listedResource === undefined || (resource.preferred && !listedResource.preferred)) {
      byName.set(nameOf(resource), resource);
    }
  }
  return [...byName.values()];
};

const deleteOne = async (client: Client, kind: ResourceKind, object: KubeObject): Promise<void> => {
  const { uid } = object.metadata;
  const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
  await client.delete(kind, refOf(object), options).catch(ignoreNotFound);
};

/** Deletes the objects of a resource in a namespace, and returns those that remain. */
export const emptyResource = async (
  client: Client,
  resource: ApiResource,
  namespace: string,
): Promise<Remainder> => {
  const kind = kindOf(resource);
  const name = nameOf(resource);
  try {
    const { items: before } = await client.list(kind, { namespace });
    if (before.length === 0) return { resource: name, objects: [] };
    const fresh = before.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    await Promise.all(fresh.map((object) => deleteOne(client, kind, object)));
    const { items } = await client.list(kind, { namespace });
    return { resource: name, objects: items };
  } catch (error) {
    if (isNotServed(error)) return { resource: name, objects: [] };
    return { resource: name, objects: [], problem: String((error as Error).message ?? error) };
  }
};
