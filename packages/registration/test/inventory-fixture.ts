import { Work } from '@perigee/api/kinds/placement/work';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';

/** A control plane in this process, without controllers. */
export const startInventory = () =>
  startEmbeddedServer({ clock: realClock, listener: 'none', clusterControllers: false });

/** Writes a Work into the execution namespace of a cluster, owned by a binding or by nobody. */
export const putWork = async (
  client: Client,
  cluster: string,
  labels: { readonly [key: string]: string },
): Promise<void> => {
  const namespace = `karmada-es-${cluster}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(Work, { metadata: { name: 'web-1', namespace, labels }, spec: {} });
};

export const FROM_BINDING = { 'resourcebinding.karmada.io/permanent-id': 'b1' };

export const cluster1 = {
  metadata: { name: 'cluster1' },
  spec: {
    ipAdrress: '10.0.0.3',
    GeoLocation: { city: 'Bellevue', country: 'US' },
    Region: { region: 'us-west', AvailabilityZone: 'us-west-1' },
    flavors: [{ FlavorID: 'small', TotalCapacity: 5 }],
    CPUCapacity: 8,
    'HomeDispatcher ': 'dispatcher1',
  },
};
