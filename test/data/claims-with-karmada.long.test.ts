import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import {
  noKarmadaScheduler,
  startKarmadaScheduler,
} from '../placement/karmada-scheduler-process.ts';
import { openPlacementWorld } from '../placement/placement-world.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noKarmadaScheduler;

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

const locality = (...names: readonly string[]) =>
  `kubectl patch datasource sales --type=merge -p '${JSON.stringify({ spec: { locality: { clusterNames: names } } })}'`;

test("Karmada's own scheduler keeps claimed work inside its data", { skip }, async () => {
  const controllers = '*,-scheduler,-cluster-scheduler';
  await using world = await openPlacementWorld(kubectl.path, { controllers });
  const { run, until, untilSpread, apply } = world;
  await using karmada = startKarmadaScheduler(world.perigee.kubeconfig);
  await apply(CLAIM);
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  const admitted = '{.status.conditions[?(@.type=="Admitted")].reason}';
  await until(`kubectl get rb web-deployment -o 'jsonpath=${admitted}'`, 'WaitingForData');
  assert.equal(await run('kubectl get rb web-deployment -o jsonpath={.spec.clusters}'), '');

  await apply(SOURCE);
  await untilSpread('web', '- 6/6 -');
  // As Karmada's own detector does, this overwrites the combined placement with that of the policy.
  await run('kubectl scale deployment web --replicas=4');
  await untilSpread('web', '- 4/4 -');
  await run(locality('member2', 'member3'));
  await until(
    'kubectl get rb web-deployment -o jsonpath={.spec.placement.clusterAffinity}',
    /member3/,
  );
  await run(locality('member3'));
  await untilSpread('web', '- - 4/4');

  await run(locality());
  await until(`kubectl get rb web-deployment -o 'jsonpath=${admitted}'`, 'WaitingForData');
  await untilSpread('web', '- - 4/4');
  // With nothing left, a stock scheduler takes running work away; it is never sent just anywhere.
  await run(locality('member4'));
  await untilSpread('web', '- - -');
  const scheduled = '{.status.conditions[?(@.type=="Scheduled")].status}';
  await until(`kubectl get rb web-deployment -o 'jsonpath=${scheduled}'`, 'False');
  await run(locality('member1'));
  await untilSpread('web', '4/4 - -');
  assert.doesNotMatch(karmada.said(), /panic|fatal/i);
});
