import { formatTime } from '@perigee/api/values/time';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { isAlreadyExists } from '@perigee/kube/errors';
import { USUAL_SERVICE_RANGE } from '../services/service-network.ts';
import { startKind } from './ensure-object.ts';

const ServiceCIDR = startKind('networking.k8s.io', 'ServiceCIDR', 'servicecidrs', 'Cluster');

const NAME = 'kubernetes';

/** Tells from where services get their addresses, as clients look it up. It cannot be changed while it is used. */
export const ensureServiceRange = async (
  client: Client,
  clock: Clock,
  serviceRange = USUAL_SERVICE_RANGE,
): Promise<void> => {
  const range = { metadata: { name: NAME }, spec: { cidrs: [serviceRange] } };
  try {
    await client.create(ServiceCIDR, range);
  } catch (error) {
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(clock.now()),
  };
  const body = { status: { conditions: [ready] } };
  await client.patch(
    ServiceCIDR,
    { name: NAME },
    { type: 'merge', body },
    { subresource: 'status' },
  );
};
