import type { CallOptions, Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { parseTime } from '@perigee/schema/values/time';

/** The leader election lease of Volcano's controllers. */
const LEASE = { namespace: 'volcano-system', name: 'vc-controller-manager' };
const FRESH_MS = 60_000;

/** True if Volcano's controllers are active in a cluster: they create a group per ReplicaSet. */
export const volcanoMakesGroups = async (
  client: Client,
  clock: Clock,
  options: CallOptions = {},
): Promise<boolean> => {
  const lease = await getOrUndefined(client, Lease, LEASE, options);
  const { holderIdentity, renewTime } = lease?.spec ?? {};
  return (
    Boolean(holderIdentity && renewTime) && clock.now() - parseTime(renewTime ?? '') < FRESH_MS
  );
};
