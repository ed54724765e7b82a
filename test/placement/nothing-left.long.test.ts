import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const managed = (kinds: string): string =>
  `for m in 1 2 3; do kubectl --context=member$m get ${kinds} -A -l karmada.io/managed=true -o name; done`;

test('what is deleted leaves nothing behind, and namespaces go', { skip }, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, untilSpread } = world;
  const shopped =
    'for m in 1 2 3; do kubectl --context=member$m -n shop get deployment shop -o name; done';
  const worksOf = 'kubectl get works -A -o name';
  const before = await run(worksOf);
  await run('kubectl create namespace shop');
  await run('kubectl -n shop apply -f examples/web-with-settings.yaml');
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml -f examples/web-override.yaml');
  await untilSpread('web', '2/2 2/2 2/2');
  await until(shopped, 'deployment.apps/shop\ndeployment.apps/shop');

  // Without its policy, a workload is nobody's and stays.
  await run('kubectl delete -f examples/web-policy.yaml -f examples/web-override.yaml');
  await untilSpread('web', '2/2 2/2 2/2');
  await run('kubectl delete deployment web');
  await untilSpread('web', '- - -');
  await until('kubectl get rb,crb -o name', '');

  // A namespace takes everything along, in the members too.
  await run('kubectl delete namespace shop --timeout=60s');
  await until('for m in 1 2 3; do kubectl --context=member$m get namespace shop -o name; done', '');
  await until(managed('deployments,configmaps'), '');
  await until('kubectl get rb,crb -A -o name', '');
  await until(worksOf, before);
  for (const member of ['member1', 'member2', 'member3']) {
    await until(`kubectl --context=${member} get pods,replicasets -A -o name`, '');
  }

  // A cluster goes with its record and its execution namespace, and with nothing in its way.
  await run('kubectl delete clusters.globalscheduler.com member3 --timeout=60s');
  await until('kubectl get namespace karmada-es-member3 --ignore-not-found -o name', '');
  assert.equal(
    await run('kubectl get clusters.cluster.karmada.io -o name'),
    'cluster.cluster.karmada.io/member1\ncluster.cluster.karmada.io/member2',
  );
});
