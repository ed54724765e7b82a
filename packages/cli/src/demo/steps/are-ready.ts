import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';

/** True if all these clusters are registered and Ready. */
export const areReady = async (client: Client, names: readonly string[]): Promise<boolean> => {
  const { items } = await client.list(ClusterRecord);
  const ready = new Set(
    items.filter(({ status }) => status?.phase === 'Ready').map(({ metadata }) => metadata.name),
  );
  return names.length > 0 && names.every((name) => ready.has(name));
};
