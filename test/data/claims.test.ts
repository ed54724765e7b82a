import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from '../placement/placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const claim = (name: string) =>
  `kubectl get datasourceclaim ${name} -o 'jsonpath={.status.phase} {.status.boundDataSource}'`;
const waits = (name: string) =>
  `kubectl get datasourceclaim ${name} -o 'jsonpath={.status.conditions[?(@.type=="Bound")].message}'`;
const condition = (type: string) =>
  `kubectl get resourcebinding web-deployment -o 'jsonpath={.status.conditions[?(@.type=="${type}")].reason}: {.status.conditions[?(@.type=="${type}")].message}'`;
const places = `kubectl get resourcebinding web-deployment -o 'jsonpath={.spec.clusters[*].name}'`;

const source = (name: string, locality: string, attributes = '{}') => `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSource
metadata: { name: ${name} }
spec:
  system: hive
  type: table
  name: db.${name}
  attributes: ${attributes}
  locality: ${locality}`;

const claimOf = (name: string, spec: string) => `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSourceClaim
metadata: { name: ${name} }
spec: { system: hive, dataSourceType: table, ${spec} }`;

/** Upstream's spelling: one workload, whose namespace is not said. */
const WEB = 'workload: { apiVersion: apps/v1, kind: Deployment, name: web }';
/** The design's spelling. */
const SELECTED = 'workloadSelector: { matchLabels: { app: web } }';

const policy = (placement: string) => `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: web }
spec:
  resourceSelectors: [{ apiVersion: apps/v1, kind: Deployment, name: web }]
  placement: ${placement}`;

test('work follows the data that it claims, as kubectl shows', { skip }, async (context) => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, apply, untilSpread } = world;

  await context.test(
    'it is held until its data is there, and the claim says what comes close',
    async () => {
      await apply(source('close', '{ clusterNames: [member3] }', '{ format: csv }'));
      await apply(
        claimOf('sales', `attributesSelector: { matchLabels: { format: orc } }, ${SELECTED}`),
      );
      await run('kubectl create deployment web --image=nginx --replicas=2');
      await run('kubectl apply -f examples/web-policy.yaml');
      await until(
        condition('Admitted'),
        'WaitingForData: waits for hive table with format=orc (claim sales)',
      );
      await until(
        waits('sales'),
        'no DataSource offers hive table with format=orc; the closest are close (hive table db.close): its format is csv, not orc',
      );
      await until(places, '');
    },
  );

  await context.test('a source that appears later is bound by its attributes', async () => {
    const locality = '{ clusterAffinity: { clusterNames: [member1, member2] } }';
    await apply(source('sales', locality, '{ format: orc }'));
    await until(claim('sales'), 'Bound sales');
    await untilSpread('web', '1/1 1/1 -');
    await until(condition('Admitted'), /^Admitted: /);
  });

  await context.test(
    'two claims, by the name of the object and of the data, intersect',
    async () => {
      await apply(source('orders', '{ clusterNames: [member2, member3] }'));
      await apply(claimOf('by-object', `dataSourceName: orders, ${SELECTED}`));
      await apply(claimOf('by-data', `dataSourceName: db.orders, ${WEB}`));
      await until(claim('by-object'), 'Bound orders');
      await until(
        `kubectl get datasource orders -o 'jsonpath={.status.boundClaims} {.status.clusters}'`,
        '2 ["member2","member3"]',
      );
      await untilSpread('web', '- 2/2 -');
    },
  );

  await context.test('an empty intersection is said, and running work stays', async () => {
    await run(
      `kubectl patch datasource orders --type=merge -p '{"spec":{"locality":{"clusterNames":["member3"]}}}'`,
    );
    await until(
      condition('Scheduled'),
      'Unschedulable: 0/3 clusters are available: 3 cluster(s) did not have the data: hive table db.orders, hive table db.sales.',
    );
    await untilSpread('web', '- 2/2 -');
  });

  await context.test('a locality that grows and shrinks moves the work', async () => {
    await run(
      `kubectl patch datasource sales --type=merge -p '{"spec":{"locality":{"clusterAffinity":{"clusterNames":["member3"]}}}}'`,
    );
    await untilSpread('web', '- - 2/2');
    await run(
      `kubectl patch datasource orders --type=merge -p '{"spec":{"locality":{"clusterNames":["member1","member3"]}}}'`,
    );
    await run(
      `kubectl patch datasource sales --type=merge -p '{"spec":{"locality":{"clusterAffinity":{"clusterNames":["member1"]}}}}'`,
    );
    await untilSpread('web', '2/2 - -');
  });

  await context.test('the policy is changed under it, with groups to fail over to', async () => {
    await apply(
      policy(
        '{ clusterAffinities: [{ affinityName: own, clusterNames: [member2] }, { affinityName: other, clusterNames: [member1, member3] }] }',
      ),
    );
    await until(condition('Scheduled'), /^Success/);
    await until(places, 'member1');
    await run('kubectl scale deployment web --replicas=3');
    await untilSpread('web', '3/3 - -');
  });

  await context.test('a source that is deleted leaves the work where it is, held', async () => {
    await run('kubectl delete datasource sales');
    await until(claim('sales'), 'Pending');
    await until(condition('Admitted'), /^WaitingForData: .*\(claim sales\)$/);
    await untilSpread('web', '3/3 - -');
    await run('kubectl delete datasourceclaim sales by-data by-object');
    await until(condition('Admitted'), /^Admitted: /);
    await until(
      `kubectl get resourcebinding web-deployment -o 'jsonpath={.metadata.annotations.datadependency\\.volcano\\.sh/placement-injected}{.spec.suspension}'`,
      '',
    );
  });
});
