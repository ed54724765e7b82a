import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const CLUSTER = 'clusters.cluster.karmada.io';
const TAINT = { key: 'example.com/lost', effect: 'NoExecute' };
const replicas = 'kubectl get deployment web -o jsonpath={.status.readyReplicas}';

test('replicas leave a member that is lost, and its copies go when it is back', {
  skip,
}, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, untilSpread } = world;
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  await untilSpread('web', '2/2 2/2 2/2');

  await run(`kubectl annotate ${CLUSTER} member3 member.perigee.io/fault=unreachable`);
  const taint = JSON.stringify([{ op: 'add', path: '/spec/taints', value: [TAINT] }]);
  await run(`kubectl patch ${CLUSTER} member3 --type=json -p '${taint}'`);
  // The member is cut off and runs what it had; nobody can tell it otherwise.
  await untilSpread('web', '3/3 3/3 2/2');
  await until(replicas, '6');
  await until(
    "kubectl get rb web-deployment -o 'jsonpath={range .spec.clusters[*]}{.name}={.replicas} {end}{.spec.gracefulEvictionTasks}'",
    'member1=3 member2=3',
  );
  await until(
    "kubectl get events -o 'jsonpath={range .items[*]}{.reason} {end}'",
    /EvictWorkloadFromClusterSucceed/,
  );

  await run(`kubectl annotate ${CLUSTER} member3 member.perigee.io/fault-`);
  await run(
    `kubectl patch ${CLUSTER} member3 --type=json -p '[{"op":"remove","path":"/spec/taints"}]'`,
  );
  await untilSpread('web', '3/3 3/3 -');
  await until('kubectl -n karmada-es-member3 get works -o name | grep web-', '');

  await run('kubectl scale deployment web --replicas=9');
  await untilSpread('web', '4/4 4/4 1/1');
  await until(replicas, '9');
});

const amounts =
  '{.status.resourceSummary.allocatable.memory}/{.status.resourceSummary.allocatable.pods}';
const room = `kubectl get ${CLUSTER} member1 -o 'jsonpath=${amounts}'`;

test('a full member gets no more, and says when a fault is not understood', { skip }, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, untilSpread } = world;
  await run(`kubectl annotate ${CLUSTER} member1 member.perigee.io/fault=full,wobbly`);
  await until(room, '96Gi/');
  await until(
    "kubectl get events -A -o 'jsonpath={range .items[*]}{.reason} {end}'",
    /UnknownFault/,
  );
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  await untilSpread('web', '- 3/3 3/3');
  await run(`kubectl annotate ${CLUSTER} member1 member.perigee.io/fault-`);
  await until(room, '96Gi/330');
});
