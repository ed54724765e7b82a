import type { Client } from '@perigee/kube/client/client';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { rootCaFixture } from './root-ca-controller.ts';
import { SERVICE_ACCOUNT_FIXTURE } from './service-account-controller.ts';

/** Creates at once what controllers would create in the namespaces that there are. */
export const fillNamespaces = async (client: Client, authority?: string): Promise<void> => {
  const fixtures = [
    SERVICE_ACCOUNT_FIXTURE,
    ...(authority === undefined ? [] : [rootCaFixture(authority)]),
  ];
  const { items } = await client.list(Namespace);
  const creations = items.flatMap(({ metadata: { name: namespace } }) =>
    fixtures.map(({ kind, name, shape }) =>
      client.create(kind, shape({ metadata: { namespace, name } })),
    ),
  );
  await Promise.all(creations);
};
