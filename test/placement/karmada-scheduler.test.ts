import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { noKarmadaScheduler, startKarmadaScheduler } from './karmada-scheduler-process.ts';
import { openPlacementWorld } from './placement-world.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noKarmadaScheduler;

test("Karmada's own scheduler places what was detected here", { skip }, async () => {
  const controllers = '*,-scheduler,-cluster-scheduler';
  await using world = await openPlacementWorld(kubectl.path, { controllers });
  const { run, until, untilSpread } = world;
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  await until('kubectl get rb web-deployment -o jsonpath={.spec.replicas}', '6');
  assert.equal(await run('kubectl get rb web-deployment -o jsonpath={.spec.clusters}'), '');

  await using karmada = startKarmadaScheduler(world.perigee.kubeconfig);
  await untilSpread('web', '2/2 2/2 2/2');
  await run('kubectl rollout status deployment/web --timeout=60s');
  const condition = '{.status.conditions[?(@.type=="Scheduled")].message}';
  assert.equal(
    await run(`kubectl get rb web-deployment -o 'jsonpath=${condition}'`),
    'Binding has been scheduled successfully.',
  );
  const reasons =
    "kubectl get events -o 'jsonpath={range .items[*]}{.source.component}:{.reason} {end}'";
  await until(reasons, /default-scheduler:ScheduleBindingSucceed/);

  await run('kubectl scale deployment web --replicas=9');
  await untilSpread('web', '3/3 3/3 3/3');
  const only = '{"spec":{"placement":{"clusterAffinity":{"clusterNames":["member2"]}}}}';
  await run(`kubectl patch propagationpolicy web --type=merge -p '${only}'`);
  await untilSpread('web', '- 9/9 -');
  await run('kubectl delete deployment web');
  await untilSpread('web', '- - -');
  assert.doesNotMatch(karmada.said(), /panic|fatal/i);
});
