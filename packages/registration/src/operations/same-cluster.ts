import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { RegistrationError } from '../errors.ts';

/**
 * Reads the uid of a cluster with the rights of the caller. Undefined when the cluster cannot be reached
 * now: the control plane will identify it later.
 */
export type IdentifyCluster = (
  client: Pick<Client, 'get'>,
  cluster: ClusterRecord,
  options: CallOptions,
) => Promise<string | undefined>;

/** Only a cluster with credentials in its record can be contacted, and thus recognised. */
export const canBeIdentified = ({ spec }: ClusterRecord): boolean =>
  spec.type === 'kubernetes' && spec.secretRef !== undefined;

/**
 * Searches the records in pages of 500, as no API server selects by arbitrary fields.
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
