import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const policy = (placement: string): string => `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: web }
spec:
  resourceSelectors: [{ apiVersion: apps/v1, kind: Deployment, name: web }]
  placement: ${placement}`;

const weight = (cluster: string, by: number): string =>
  `{ targetCluster: { clusterNames: [${cluster}] }, weight: ${by} }`;

test('replicas follow the scale and the policy', { skip }, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, untilSpread, apply } = world;
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  await run('kubectl rollout status deployment/web --timeout=60s');
  await untilSpread('web', '2/2 2/2 2/2');
  assert.match(await run('kubectl get deployment web'), /web +6\/6 +6 +6/);
  assert.match(await run('kubectl get rb web-deployment'), /web-deployment +True +True/);

  await run('kubectl scale deployment web --replicas=12');
  await untilSpread('web', '4/4 4/4 4/4');
  await until('kubectl get deployment web -o jsonpath={.status.readyReplicas}', '12');
  await run('kubectl scale deployment web --replicas=3');
  await untilSpread('web', '1/1 1/1 1/1');
  await until('kubectl get deployment web -o jsonpath={.status.readyReplicas}', '3');

  const weights = [weight('member1', 3), weight('member2', 2), weight('member3', 1)].join();
  await run('kubectl scale deployment web --replicas=6');
  await apply(
    policy(
      `{ replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: { staticWeightList: [${weights}] } } }`,
    ),
  );
  await untilSpread('web', '3/3 2/2 1/1');
  await apply(
    policy(
      '{ clusterAffinity: { labelSelector: { matchLabels: { geo: asia } } }, replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Weighted } }',
    ),
  );
  await untilSpread('web', '- - 6/6');
  await until('kubectl get works -A --no-headers | grep -c web-', '1');
  await apply(
    policy(
      '{ clusterAffinity: { clusterNames: [member1, member2] }, replicaScheduling: { replicaSchedulingType: Duplicated } }',
    ),
  );
  await untilSpread('web', '6/6 6/6 -');
  await until('kubectl get deployment web -o jsonpath={.status.readyReplicas}', '12');

  await run('kubectl scale deployment web --replicas=0');
  await untilSpread('web', '/0 /0 -');
});
