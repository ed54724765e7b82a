import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { Client } from '@perigee/kube/client/client';
import { ConfigError } from '@perigee/kube/errors';
import { policyLabel } from '@perigee/scheduling/placement/policy/propagated-by';

/**
 * Fails with advice when nothing defaults policies. A dry-run create detects any admission that does: the server's
 * own, a webhook of Perigee or one of Karmada.
 */
export const checkAdmission = async (client: Client): Promise<void> => {
  const policy = await client.create(
    PropagationPolicy,
    {
      metadata: { namespace: 'default', generateName: 'perigee-asks-' },
      spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'perigee-asks' }] },
    } as never,
    { dryRun: true },
  );
  if (policyLabel(policy).id !== '') return;
  throw new ConfigError(
    'the server stores policies without their ids, because no webhook completes them: run "perigee webhook" first',
  );
};
