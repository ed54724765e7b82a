// A queue, a claim, a trigger and a cluster from a program:
//
//   KUBECONFIG=.perigee/kubeconfig node examples/sdk/claim-and-queue.js
import { perigee } from '@perigee/sdk';

await perigee.clusters.register('edge', {
  region: { region: 'eu-central', availabilityZone: 'eu-central-1a' },
  operator: { operator: 'virtual' },
});

await perigee.queues.apply('research', { weight: 2, capability: { cpu: '8' } });

await perigee.sources.apply('orders', {
  system: 'hive',
  type: 'table',
  name: 'orders',
  locality: { clusterNames: ['member1'] },
});
await perigee.claims.apply('orders-for-report', {
  system: 'hive',
  dataSourceType: 'table',
  dataSourceName: 'orders',
  workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'report' },
});
const claim = await perigee.claims.bound('orders-for-report', { timeoutMs: 30_000 });
console.log(`the claim has ${claim.status.boundDataSource}`);

const trigger = await perigee.triggers.fire(
  'afresh',
  { targetSelectors: [{ kind: 'Deployment', namespaces: ['default'] }] },
  { timeoutMs: 30_000 },
);
console.log(`placed afresh: ${trigger.status.counts.total}`);
console.log(
  `clusters: ${(await perigee.clusters.list()).map(({ metadata }) => metadata.name).join(' ')}`,
);
await perigee.clusters.unregister('edge', { force: true });
