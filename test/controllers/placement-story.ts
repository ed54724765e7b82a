import assert from 'node:assert/strict';
import type { Shell } from '../placement/placement-world.ts';

const only = '{"spec":{"placement":{"clusterAffinity":{"clusterNames":["member3"]}}}}';
const ready = 'kubectl get deployment web -o jsonpath={.status.readyReplicas}';
const works = 'kubectl get works -A -o name | grep web-';

/**
 * Steps of a user with a workload, from its creation to its end, for every place of the control plane and its
 * controllers. There have to be three members of the same room.
 */
export const placementStory = async (shell: Shell): Promise<void> => {
  const { run, until, untilSpread } = shell;
  for (const member of ['member1', 'member2', 'member3']) {
    await run(
      `kubectl wait clusters.cluster.karmada.io/${member} --for=condition=Ready --timeout=60s`,
    );
    await until(
      `kubectl get clusters.cluster.karmada.io ${member} -o jsonpath={.status.resourceSummary.allocatable.pods}`,
      /^[1-9]/,
    );
  }
  await run('kubectl create deployment web --image=nginx --replicas=6');
  await run('kubectl apply -f examples/web-policy.yaml');
  await untilSpread('web', '2/2 2/2 2/2');
  await run('kubectl rollout status deployment/web --timeout=60s');
  assert.match(await run('kubectl get rb web-deployment'), /web-deployment +True +True/);
  await until(
    "kubectl get events -o 'jsonpath={range .items[*]}{.reason} {end}'",
    /ScheduleBinding/,
  );

  await run('kubectl scale deployment web --replicas=12');
  await untilSpread('web', '4/4 4/4 4/4');
  await until(ready, '12');
  await run('kubectl apply -f examples/web-override.yaml');
  const image =
    "kubectl --context=member2 get deployment web -o 'jsonpath={.spec.template.spec.containers[0].image}'";
  await until(image, 'mirror.example.com/nginx');

  await run(`kubectl patch propagationpolicy web --type=merge -p '${only}'`);
  await untilSpread('web', '- - 12/12');
  await until(ready, '12');

  await run('kubectl delete -f examples/web-policy.yaml -f examples/web-override.yaml');
  await run('kubectl delete deployment web --timeout=60s');
  await untilSpread('web', '- - -');
  await until(`${works} || true`, '');
  await until('kubectl get rb -o name', '');
};
