import { identityOf } from '@perigee/controllers/members/identity-of';
import { memberConfig } from '@perigee/controllers/members/member-config';
import { createHttpClient } from '@perigee/kube/client/http-client';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { IdentifyCluster } from '@perigee/registration/operations/same-cluster';
import { desiredTarget } from '@perigee/scheduling/clusters/inventory/execution-target';

/** A person waits for the registration; a cluster that answers later is identified by the control plane. */
const PATIENCE_MS = 5_000;

/**
 * Reads the uid of the cluster with the credentials that its record names, if the caller may read them. No
 * failure stops the registration: the cluster may come up later.
 */
export const clusterIdentifier =
  (clock: Clock): IdentifyCluster =>
  async (client, cluster, { signal }) => {
    const { secretRef } = cluster.spec;
    if (secretRef === undefined) return undefined;
    using deadline = deadlineAfter(clock, PATIENCE_MS, signal);
    const options = { signal: deadline.signal };
    try {
      const secret = await client.get(Secret, secretRef, options);
      const { spec } = desiredTarget(cluster);
      const config = await memberConfig({ metadata: cluster.metadata, spec }, secret, clock);
      await using member = createHttpClient(config, { clock, retry: { attempts: 1 } });
      return await identityOf(member, options);
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  };
