import { Work } from '@perigee/api/kinds/karmada/work';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isNotServed } from '@perigee/kube/errors';

/** Works with one of these come from a binding. Others only prepare the cluster, such as its namespaces. */
const FROM_BINDINGS = [
  'resourcebinding.karmada.io/permanent-id',
  'clusterresourcebinding.karmada.io/permanent-id',
];

/**
 * One of the Works by which bindings have put something on a cluster; undefined when there is none. Two
 * requests for one object each.
 */
export const findBoundWork = async (
  client: Pick<Client, 'list'>,
  cluster: string,
  options: CallOptions = {},
): Promise<Work | undefined> => {
  const namespace = executionNamespace(cluster);
  const first = async (labelSelector: string): Promise<Work | undefined> => {
    const { items } = await client.list(Work, { ...options, namespace, labelSelector, limit: 1 });
    return items[0];
  };
  try {
    const found = await Promise.all(FROM_BINDINGS.map(first));
    return found.find((work) => work !== undefined);
  } catch (error) {
    // Where there are no Works at all, no cluster has any.
    if (isNotServed(error)) return undefined;
    throw error;
  }
};
