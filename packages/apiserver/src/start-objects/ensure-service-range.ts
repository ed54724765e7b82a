import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { Clock } from '@perigee/kube/clock/clock';
import { formatTime } from '@perigee/schema/values/time';
import { USUAL_SERVICE_RANGE } from '../service-allocation/service-network.ts';
import { startKind } from './start-kind.ts';

const ServiceCIDR = startKind('networking.k8s.io', 'ServiceCIDR', 'servicecidrs', 'Cluster');

const NAME = 'kubernetes';

/** Tells from where services get their addresses, as clients look it up. It cannot be changed while it is used. */
export const ensureServiceRange = async (
  client: Client,
  clock: Clock,
  serviceRange = USUAL_SERVICE_RANGE,
): Promise<void> => {
  const range = { metadata: { name: NAME }, spec: { cidrs: [serviceRange] } };
  const created = await ensure(client, ServiceCIDR, range);
  if (created === undefined) return;
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(clock.now()),
  };
  await patchStatus(client, ServiceCIDR, created, { conditions: [ready] });
};
