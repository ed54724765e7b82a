import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { startPerigeeProcess } from '../placement/perigee-process.ts';
import { watchBindings } from './binding-versions.ts';
import { hasApiServer, noKarmada } from './karmada-programs.ts';
import { type KarmadaWorld, openKarmadaWorld, type ServerOf } from './karmada-world.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noKarmada;

const CLAIM = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSourceClaim
metadata: { name: sales }
spec:
  system: hive
  dataSourceType: table
  dataSourceName: db.sales
  workload: { apiVersion: apps/v1, kind: Deployment, name: web }`;

const SOURCE = `
apiVersion: datadependency.volcano.sh/v1alpha1
kind: DataSource
metadata: { name: sales }
spec:
  system: hive
  type: table
  name: db.sales
  locality: { clusterNames: [member2] }`;

/** For whoever has no say about data: all work, in two terms of which the second one takes over. */
const OTHER_POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: { name: all-web }
spec:
  resourceSelectors: [{ apiVersion: apps/v1, kind: Deployment, name: web }]
  placement:
    clusterAffinities:
      - { affinityName: first, clusterNames: [member3] }
      - { affinityName: second, clusterNames: [member2, member1] }
    replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Weighted }`;

const PLAIN_POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: plain }
spec:
  resourceSelectors: [{ apiVersion: apps/v1, kind: Deployment, name: plain }]
  placement: { replicaScheduling: { replicaSchedulingType: Duplicated } }`;

const locality = (...names: readonly string[]) =>
  `kubectl patch datasource sales --type=merge -p '${JSON.stringify({ spec: { locality: { clusterNames: names } } })}'`;

const clustersOf =
  (name: string) =>
  ({ metadata, spec: { clusters = [] } }: ResourceBinding): readonly string[] =>
    metadata.name === name ? clusters.map((cluster) => cluster.name) : [];

/** Steps of a user of Karmada to get data claims, and nothing else of Perigee. */
const addDataClaims = async ({ run, kubeconfig }: KarmadaWorld) => {
  await using stack = new AsyncDisposableStack();
  const crds = ['datasources', 'datasourceclaims'].map(
    (plural) => `-f deploy/crds/datadependency.volcano.sh_${plural}.yaml`,
  );
  await run(`kubectl apply --server-side --force-conflicts ${crds.join(' ')}`);
  await run('kubectl wait --for=condition=Established crd --all --timeout=30s');
  const common = ['--kubeconfig', kubeconfig, '--listen', '0'];
  const kinds = 'resourcebindings,datasources,datasourceclaims';
  stack.use(await startPerigeeProcess(['webhook', '--kinds', kinds, ...common], 'is at work'));
  const names = 'data-scheduler,data-sources,data-placement,gate';
  stack.use(
    await startPerigeeProcess(['controllers', `--controllers=${names}`, ...common], 'are at work'),
  );
  return stack.move();
};

const story = async (world: KarmadaWorld): Promise<void> => {
  const { run, until, untilSpread, apply } = world;
  // Karmada alone, as it was before.
  await run('kubectl create deployment plain --image=nginx --replicas=1');
  await apply(PLAIN_POLICY);
  await untilSpread('plain', '1/1 1/1 1/1');
  await using _claims = await addDataClaims(world);

  await apply(CLAIM);
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  const admitted = '{.status.conditions[?(@.type=="Admitted")].reason}';
  await until(`kubectl get rb web-deployment -o 'jsonpath=${admitted}'`, 'WaitingForData');
  assert.equal(await run('kubectl get rb web-deployment -o jsonpath={.spec.clusters}'), '');

  await using watched = await watchBindings(world.kubeconfig, clustersOf('web-deployment'));
  await apply(SOURCE);
  await untilSpread('web', '- 6/6 -');
  // Karmada's detector writes the policy's placement over the binding, each time.
  await run('kubectl scale deployment web --replicas=4');
  await untilSpread('web', '- 4/4 -');
  await run('kubectl label deployment web tier=front');
  const weights = `{"spec":{"placement":{"replicaScheduling":{"weightPreference":{"dynamicWeight":null,"staticWeightList":[{"targetCluster":{"clusterNames":["member1","member2"]},"weight":1}]}}}}}`;
  await run(`kubectl patch propagationpolicy web --type=merge -p '${weights}'`);
  const weighted =
    "kubectl get rb web-deployment -o 'jsonpath={.spec.placement.replicaScheduling.weightPreference.staticWeightList[*].weight}'";
  await until(weighted, '1');
  await run('kubectl scale deployment web --replicas=5');
  await untilSpread('web', '- 5/5 -');
  await world.restartControllers();
  await run('kubectl scale deployment web --replicas=3');
  await untilSpread('web', '- 3/3 -');
  // Another policy takes over, with groups of which the first has none of the data.
  await run('kubectl delete propagationpolicy web');
  await apply(OTHER_POLICY);
  const groups =
    "kubectl get rb web-deployment -o 'jsonpath={.spec.placement.clusterAffinities[*].affinityName}'";
  await until(groups, 'first second');
  await run('kubectl scale deployment web --replicas=6');
  await untilSpread('web', '- 6/6 -');
  assert.deepEqual(watched.take(), ['member2'], 'no version was outside the data');

  await run(locality('member2', 'member1'));
  await until('kubectl get rb web-deployment -o jsonpath={.spec.placement}', /"member2","member1"/);
  await run(locality('member1'));
  await untilSpread('web', '6/6 - -');
  // Data that is nowhere holds the work where it is.
  await run(locality());
  await until(`kubectl get rb web-deployment -o 'jsonpath=${admitted}'`, 'WaitingForData');
  await untilSpread('web', '6/6 - -');
  // A stock scheduler does not go back to the first term, and takes away what has nowhere to go: never just anywhere.
  await run(locality('member3'));
  await untilSpread('web', '- - -');
  await run(locality('member2'));
  await untilSpread('web', '- 6/6 -');
  assert.deepEqual(watched.take(), ['member1', 'member2']);
  const plain = await run('kubectl get rb plain-deployment -o yaml --show-managed-fields');
  assert.doesNotMatch(plain, /perigee|datadependency/, 'work without claims is left alone');
  await run('kubectl delete datasourceclaim sales');
  const affinities = `kubectl get rb web-deployment -o 'jsonpath={.spec.placement.clusterAffinities[*].clusterNames}'`;
  await until(affinities, '["member3"] ["member2","member1"]');
  assert.doesNotMatch(world.said(), /panic|^F\d{4}/m);
};

suite("beside Karmada's own detector, scheduler and webhook", { skip }, () => {
  const servers: readonly ServerOf[] = hasApiServer ? ['Kubernetes', 'Perigee'] : ['Perigee'];
  for (const of of servers) {
    test(`claimed work stays inside its data, on the API server of ${of}`, async () => {
      await using world = await openKarmadaWorld(kubectl.path, { of });
      try {
        await story(world);
      } catch (cause) {
        const binding = await world.run('kubectl get rb -o yaml');
        throw new Error(`${binding}\n${world.said().slice(-5000)}`, { cause });
      }
    });
  }
});
