import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import {
  openFolder,
  type PerigeeProcess,
  startPerigeeProcess,
  startUp,
} from './perigee-process.ts';
import { openPlacementWorld, type PlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const workload = (cluster: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: blue }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: all }
spec:
  resourceSelectors:
    - { apiVersion: v1, kind: ConfigMap, name: settings }
    - { apiVersion: apps/v1, kind: Deployment, name: web }
  placement: { clusterAffinity: { clusterNames: [${cluster}] } }`;

suite('a cluster of another process', { skip }, () => {
  const folder = openFolder();
  const kubeconfig = join(folder.path, 'other.kubeconfig');
  const there = `kubectl --kubeconfig=${kubeconfig}`;
  let world: PlacementWorld;
  let other: PerigeeProcess;

  before(async () => {
    const data = join(folder.path, 'other');
    other = await startUp(data, '--port', '0', '--members', '1');
    world = await openPlacementWorld(kubectl, { members: 0 });
    const view = 'config view --raw --minify --context=member1';
    const config = await world.run(`kubectl --kubeconfig=${data}/kubeconfig ${view}`);
    writeFileSync(kubeconfig, config, { mode: 0o600 });
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Brings work to a cluster, changes it, and takes it away again. */
  const bringAndTake = async (cluster: string): Promise<void> => {
    const { run, until, apply } = world;
    await run(`kubectl create namespace ${cluster}`);
    const own = `kubectl -n ${cluster}`;
    await apply(workload(cluster), cluster);
    await run(`${own} rollout status deployment/web --timeout=60s`);
    assert.match(await run(`${there} -n ${cluster} get deployment web`), /web +2\/2 +2 +2/);
    await until(`${there} -n ${cluster} get configmap settings -o jsonpath={.data.colour}`, 'blue');
    await run(`${own} patch configmap settings --type=merge -p '{"data":{"colour":"green"}}'`);
    await until(
      `${there} -n ${cluster} get configmap settings -o jsonpath={.data.colour}`,
      'green',
    );
    // A change by somebody else in the member is reverted.
    await run(`${there} -n ${cluster} scale deployment web --replicas=7`);
    await until(
      `${there} -n ${cluster} get deployment web -o jsonpath={.status.readyReplicas}/{.spec.replicas}`,
      '2/2',
    );
    await run(`${own} delete deployment/web configmap/settings`);
    await until(
      `${there} -n ${cluster} get deployments,pods,configmaps -l karmada.io/managed=true -o name`,
      '',
    );
    await until(`kubectl -n karmada-es-${cluster} get works -o name | grep -v ${cluster}-`, '');
    await run(`kubectl delete namespace ${cluster} --timeout=60s`);
    await until(`${there} get namespace ${cluster} --ignore-not-found -o name`, '');
    await run(`kubectl delete clusters.cluster.karmada.io ${cluster} --timeout=60s`);
  };

  test('is pushed to with the kubeconfig in a Secret', async () => {
    const { run, apply } = world;
    await run(`kubectl create secret generic pushed --from-file=kubeconfig=${kubeconfig}`);
    await apply(`
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: { name: pushed }
spec: { syncMode: Push, secretRef: { namespace: default, name: pushed } }`);
    await run(
      'kubectl wait clusters.cluster.karmada.io/pushed --for=condition=Ready --timeout=60s',
    );
    await bringAndTake('pushed');
  });

  test('is served by an agent, which registers it', async () => {
    const { run, until } = world;
    const args = ['agent', '--cluster', 'pulled', '--member-kubeconfig', kubeconfig];
    const more = ['--kubeconfig', world.perigee.kubeconfig, '--region', 'eu-north'];
    await using agent = await startPerigeeProcess([...args, ...more], 'is at work');
    await run(
      'kubectl wait clusters.cluster.karmada.io/pulled --for=condition=Ready --timeout=60s',
    );
    await until(
      "kubectl get clusters.cluster.karmada.io pulled -o 'jsonpath={.spec.syncMode} {.spec.region}'",
      'Pull eu-north',
    );
    await until(
      'kubectl -n karmada-cluster get lease pulled -o jsonpath={.spec.holderIdentity}',
      'pulled',
    );
    await bringAndTake('pulled');
    await agent[Symbol.asyncDispose]();
  });

  test('is not served by an agent while the control plane pushes to it', async () => {
    await world.apply(`
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: { name: mine }
spec: { syncMode: Push }`);
    const args = ['agent', '--cluster', 'mine', '--member-kubeconfig', kubeconfig];
    const started = startPerigeeProcess(
      [...args, '--kubeconfig', world.perigee.kubeconfig],
      'is at work',
    );
    await assert.rejects(started, /ended with 1:\nperigee: .*spec\.syncMode is Push/);
  });
});
