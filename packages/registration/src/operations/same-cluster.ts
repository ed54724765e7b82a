import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { RegistrationError } from '../errors.ts';

/**
 * Finds out by which uid a cluster knows itself, with what the caller may read. Nothing when it cannot be reached
 * now: the control plane will find out later.
 */
export type IdentifyCluster = (
  client: Pick<Client, 'get'>,
  cluster: ClusterRecord,
  options: CallOptions,
) => Promise<string | undefined>;

/** Only a cluster that is reached by credentials of its own can have been registered before. */
export const canBeIdentified = ({ spec }: ClusterRecord): boolean =>
  spec.type === 'kubernetes' && spec.secretRef !== undefined;

/**
 * Reads records, 500 at a time, until one is found: no API server selects by more fields than the kind has.
 * @throws `RegistrationError` `SameCluster` when the cluster is registered under another name.
 */
export const refuseSame = async (
  client: Pick<Client, 'get' | 'list'>,
  cluster: ClusterRecord,
  identify: IdentifyCluster,
  options: CallOptions,
): Promise<void> => {
  if (!canBeIdentified(cluster)) return;
  const id = await identify(client, cluster, options);
  if (id === undefined) return;
  for await (const { items } of listPages(client, ClusterRecord, options)) {
    const same = items.find(
      ({ metadata, status }) => status?.clusterID === id && metadata.name !== cluster.metadata.name,
    );
    if (same === undefined) continue;
    const { name, uid } = same.metadata;
    throw new RegistrationError(
      'SameCluster',
      `it is registered already, as ${name} (id ${uid}): the uid of its namespace kube-system is the same, ${id}`,
    );
  }
};
