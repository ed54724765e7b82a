import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from './client-binaries.ts';
import { openEmbeddedCluster } from './embedded-cluster.ts';
import { simulateControllers } from './simulated-controllers.ts';

const { path: kubectl, skip } = kubectlBinary();

test('kubectl follows, lists, undoes and restarts rollouts', { skip }, async () => {
  await using cluster = await openEmbeddedCluster({ kubectl });
  const { run } = cluster;
  const image = () =>
    run("kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[0].image}'");
  const end = new AbortController();
  const controllers = simulateControllers(cluster.server.client, end.signal);
  try {
    await run('kubectl create -f web.yaml');
    const success = /deployment "web" successfully rolled out\n$/;
    assert.match(await run('kubectl rollout status deploy/web --timeout=20s'), success);
    await run('kubectl set image deploy/web c=nginx:2');
    assert.match(await run('kubectl rollout status deploy/web --timeout=20s'), success);
    assert.equal(
      await run('kubectl rollout history deploy/web'),
      'deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n',
    );
    assert.match(await run('kubectl rollout history deploy/web --revision=2'), /Image:\tnginx:2\n/);
    assert.equal(
      await run('kubectl rollout undo deploy/web --to-revision=1'),
      'deployment.apps/web rolled back\n',
    );
    await run('kubectl rollout status deploy/web --timeout=20s');
    assert.equal(await image(), 'nginx:1');
    assert.match(await run('kubectl rollout history deploy/web'), /\n2 +<none>\n3 +<none>\n/);
    assert.equal(
      await run('kubectl rollout restart deploy/web'),
      'deployment.apps/web restarted\n',
    );
    assert.match(await run('kubectl rollout status deploy/web --timeout=20s'), success);
    assert.match(await run('kubectl get deploy web --no-headers'), /^web +2\/2 +2 +2 /);
    assert.match(await run('kubectl describe deploy web'), /NewReplicaSet: +web-4 \(2\/2 replicas/);
    await run('kubectl wait --for=condition=Available deploy/web --timeout=20s');
  } finally {
    end.abort();
    await controllers;
  }
});
