import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder, spawnUp, startUp } from '../placement/perigee-process.ts';
import { wordsOf } from '../placement/placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const places = `kubectl get resourcebinding web-deployment -o 'jsonpath={.spec.clusters[*].name} {.spec.suspension.scheduling}'`;

test('kill -9 in the middle of claiming data changes nothing', { skip }, async () => {
  using folder = openFolder();
  await using first = await startUp(folder.path, '--port', '0');
  const connection = [`--kubeconfig=${folder.path}/kubeconfig`];
  const cwd = new URL('../../', import.meta.url).pathname;
  using shell = openKubectlShell({ kubectl, connection, namespace: 'default', cwd });
  const { run, until, untilSpread } = wordsOf(shell);
  await run('kubectl create deployment web --image=nginx --replicas=2');
  await run('kubectl label deployment web needs=sales');
  // The claim alone, then a crash: the work is held, or is as soon as somebody is there again.
  await run(`sed -n '/^---/,$p' examples/data-claim.yaml | kubectl apply -f -`);
  await run('kubectl apply -f examples/web-policy.yaml');
  await first.kill();

  await using second = await startUp(folder.path, '--port', '0');
  await until(places, 'true');
  // The data, and a crash before, while or after the work is let through.
  await run('kubectl apply -f examples/data-claim.yaml');
  await second.kill();

  await using third = await startUp(folder.path, '--port', '0');
  await untilSpread('web', '1/1 1/1 -');
  await until(places, 'member1 member2');
  await run(
    `kubectl patch datasource sales --type=merge -p '{"spec":{"locality":{"clusterAffinity":{"clusterNames":["member3"]}}}}'`,
  );
  await third.kill();

  await using _ = spawnUp(folder.path, '--port', '0');
  await untilSpread('web', '- - 2/2');
  await until(places, 'member3');
});
