import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const image = (member: string): string =>
  `kubectl --context=${member} get deployment web -o 'jsonpath={.spec.template.spec.containers[0].image} {.metadata.labels.place}'`;

test('an override changes the copy in one cluster, and goes with its policy', {
  skip,
}, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, untilSpread } = world;
  await run('kubectl create deployment web --image=nginx:1 --replicas=3');
  await run('kubectl apply -f examples/web-policy.yaml -f examples/web-override.yaml');
  await untilSpread('web', '1/1 1/1 1/1');
  await until(image('member1'), 'nginx:1');
  await until(image('member2'), 'mirror.example.com/nginx:1 america');
  await until(image('member3'), 'nginx:1');

  await run('kubectl set image deployment/web nginx=nginx:2');
  await until(image('member1'), 'nginx:2');
  await until(image('member2'), 'mirror.example.com/nginx:2 america');
  await untilSpread('web', '1/1 1/1 1/1');

  await run('kubectl delete -f examples/web-override.yaml');
  await until(image('member2'), 'nginx:2');
  await untilSpread('web', '1/1 1/1 1/1');
});
