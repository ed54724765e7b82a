import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';

/** Warns of clusters that are not ready yet: a returned cluster gets no work before. */
export const warnNotReady = async (client: Client, clusters: readonly string[]): Promise<void> => {
  for (const name of clusters) {
    const cluster = await getOrUndefined(client, MemberCluster, { name });
    const ready = findCondition(cluster?.status?.conditions, 'Ready');
    if (ready === undefined || ready.status === 'True') continue;
    process.stderr.write(
      `perigee: ${name} is not ready (${ready.reason}): no work goes there until it is\n`,
    );
  }
};
