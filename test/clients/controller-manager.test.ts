import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { controllerManagerBinary, kubectlBinary } from './client-binaries.ts';
import { type ControllerManager, startControllerManager } from './controller-manager.ts';
import { type EmbeddedCluster, openEmbeddedCluster } from './embedded-cluster.ts';
import { simulateNode } from './simulated-node.ts';

const manager = controllerManagerBinary();
const kubectl = kubectlBinary();
const skip = manager.skip || kubectl.skip;

/** Its errors on Kubernetes as well: its own races, and the absence of nodes. */
const USUAL: readonly RegExp[] = [
  /manifest file is empty/,
  /is not as new as written version/,
  /has just been deleted/,
  /legacy-service-account-token-tracking/,
  /skipping Pod \S+ for Service \S+: Node {2}Not Found/,
  /object has been modified; please apply your changes to the latest version/,
  /failed with \S+ "\S+" not found/,
];

suite('a stock kube-controller-manager works on the embedded server', { skip }, () => {
  const end = new AbortController();
  let cluster: EmbeddedCluster;
  let controllers: ControllerManager;
  let node: Promise<void>;

  before(async () => {
    cluster = await openEmbeddedCluster({ kubectl: kubectl.path, clusterControllers: false });
    node = simulateNode(cluster.server.client, end.signal);
    controllers = await startControllerManager(manager.path, cluster.kubeconfig);
  });
  after(async () => {
    await controllers[Symbol.asyncDispose]();
    end.abort();
    await node;
    await cluster[Symbol.asyncDispose]();
  });

  const run = (command: string): Promise<string> => cluster.run(command);
  const wait = (what: string, value: string): Promise<string> =>
    run(`kubectl wait ${what} --for=jsonpath='${value}' --timeout=20s`);

  test('it leads by a lease', async () => {
    const holder = await run(
      "kubectl get lease kube-controller-manager -n kube-system -o jsonpath='{.spec.holderIdentity}'",
    );
    assert.notEqual(holder, '');
  });

  test('a deployment becomes pods, is scaled, rolled out and rolled back', async () => {
    await run('kubectl create -f web.yaml');
    assert.match(await run('kubectl rollout status deploy/web --timeout=20s'), /rolled out\n$/);
    assert.match(await run('kubectl get deploy web --no-headers'), /^web +2\/2 +2 +2 /);
    await run('kubectl scale deploy web --replicas=3');
    await wait('deploy/web', '{.status.readyReplicas}=3');
    await run('kubectl set image deploy/web c=nginx:2');
    await run('kubectl annotate deploy web kubernetes.io/change-cause=newer');
    assert.match(await run('kubectl rollout status deploy/web --timeout=20s'), /rolled out\n$/);
    assert.match(await run('kubectl rollout history deploy/web'), /\n1 +<none>\n2 +newer\n/);
    assert.match(
      await run('kubectl rollout history deploy/web --revision=1'),
      /Image:\s+nginx:1\n/,
    );
    assert.equal(await run('kubectl rollout undo deploy/web'), 'deployment.apps/web rolled back\n');
    await run('kubectl rollout status deploy/web --timeout=20s');
    assert.equal(
      await run("kubectl get pods -l app=web -o jsonpath='{.items[*].spec.containers[0].image}'"),
      'nginx:1 nginx:1 nginx:1',
    );
    await run('kubectl rollout restart deploy/web');
    await run('kubectl rollout status deploy/web --timeout=20s');
    assert.match(await run('kubectl describe deploy web'), /ScalingReplicaSet .*Scaled up replica/);
  });

  test('a service gets the addresses of its pods', async () => {
    await run('kubectl create deployment shop --image=nginx --port=80');
    await run('kubectl expose deployment shop --port=80 --cluster-ip=None');
    await run('kubectl rollout status deploy/shop --timeout=20s');
    const [address] = (
      await run("kubectl get pods -l app=shop -o jsonpath='{.items[*].status.podIP}'")
    ).split(' ');
    await wait('endpoints/shop', `{.subsets[0].addresses[0].ip}=${address}`);
    assert.match(
      await run('kubectl get endpointslices -l kubernetes.io/service-name=shop'),
      /IPv4/,
    );
  });

  test('jobs run to their end, and cron jobs make them', async () => {
    await run('kubectl create job once --image=busybox -- true');
    await run('kubectl wait --for=condition=Complete job/once --timeout=20s');
    assert.match(await run('kubectl get job once --no-headers'), /^once +Complete +1\/1 /);
    await run("kubectl create cronjob often --image=busybox --schedule='0 0 1 1 *' -- true");
    await run('kubectl create job now --from=cronjob/often');
    await run('kubectl wait --for=condition=Complete job/now --timeout=20s');
  });

  test('a stateful set makes its pods one after another, with their claims', async () => {
    await run('kubectl create -f database.yaml');
    await run('kubectl rollout status sts/database --timeout=20s');
    assert.equal(
      await run('kubectl get pods -l app=database -o name'),
      'pod/database-0\npod/database-1\n',
    );
    assert.equal(
      await run('kubectl get pvc -o name'),
      'persistentvolumeclaim/data-database-0\npersistentvolumeclaim/data-database-1\n',
    );
  });

  test('a daemon set finds the nodes', async () => {
    await run('kubectl create -f node.yaml');
    await run('kubectl create -f agent.yaml');
    await wait('ds/agent', '{.status.desiredNumberScheduled}=1');
    await run('kubectl rollout status ds/agent --timeout=20s');
  });

  test('what is owned goes with its owner, in each of the three ways', async () => {
    for (const name of ['front', 'back', 'kept']) {
      await run(`kubectl create deployment ${name} --image=nginx`);
      await run(`kubectl rollout status deploy/${name} --timeout=20s`);
    }
    await run('kubectl delete deploy front --cascade=foreground --timeout=20s');
    assert.equal(await run('kubectl get rs,pods -l app=front -o name'), '');
    await run('kubectl delete deploy back --cascade=background');
    await run('kubectl wait --for=delete rs,pods -l app=back --timeout=20s');
    assert.equal(await run('kubectl get rs,pods -l app=back -o name'), '');
    await run('kubectl delete deploy kept --cascade=orphan --timeout=20s');
    assert.match(
      await run("kubectl get rs -l app=kept -o jsonpath='{.items[*].metadata.ownerReferences}|'"),
      /^\|$/,
    );
    assert.match(await run('kubectl get pods -l app=kept -o name'), /^pod\/kept-/);
  });

  test('service accounts get what pods need of them', async () => {
    await run('kubectl create namespace accounts');
    await run('kubectl wait --for=create serviceaccount/default -n accounts --timeout=20s');
    await run('kubectl create -f account-token.yaml -n accounts');
    await wait('secret/account-token -n accounts', '{.data.token}');
  });

  test('quotas and disruption budgets are counted', async () => {
    await run('kubectl create namespace counted');
    await run('kubectl create deployment web -n counted --image=nginx');
    await run('kubectl rollout status deploy/web -n counted --timeout=20s');
    await run('kubectl create quota few -n counted --hard=pods=2');
    await run('kubectl create pdb careful -n counted --selector=app=web --min-available=1');
    await wait('quota/few -n counted', '{.status.used.pods}=1');
    await wait('pdb/careful -n counted', '{.status.currentHealthy}=1');
  });

  test('a namespace goes with everything that is in it', async () => {
    await run('kubectl create namespace leaving');
    await run('kubectl create deployment web -n leaving --image=nginx');
    await run('kubectl rollout status deploy/web -n leaving --timeout=20s');
    await run('kubectl delete namespace leaving --timeout=30s');
    assert.equal(await run('kubectl get deploy,rs,pods,sa,cm -n leaving -o name'), '');
  });

  test('it has nothing to complain of that it would not complain of elsewhere', () => {
    const unusual = controllers.complaints.filter(
      (line) => !USUAL.some((pattern) => pattern.test(line)),
    );
    assert.deepEqual(unusual, []);
  });
});
