import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { controllerManagerBinary, kubectlBinary } from '../clients/client-binaries.ts';
import { startControllerManager } from '../clients/controller-manager.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { openFolder, startPerigeeProcess, startUp } from '../placement/perigee-process.ts';
import { type Shell, wordsOf } from '../placement/placement-world.ts';
import { placementStory } from './placement-story.ts';
import { deploy, kubeconfigOf, undeploy } from './service-account.ts';

const { path: kubectl, skip: missing } = kubectlBinary();
const { PERIGEE_TEST_KUBECONFIG: real } = process.env;
const skip = missing || (real ? false : 'set PERIGEE_TEST_KUBECONFIG to a throw-away cluster');
const cwd = new URL('../../', import.meta.url).pathname;

const NAMESPACE = 'perigee-story';
const GOING = 'namespace-controller,garbage-collector-controller';
const MEMBERS = ['member1', 'member2', 'member3'];

/** Tells the control plane of members that live elsewhere. */
const register = async ({ run, apply }: Shell, folder: string): Promise<void> => {
  for (const member of MEMBERS) {
    const config = join(folder, member);
    await run(`kubectl config view --raw --minify --flatten --context=${member} > ${config}`);
    await run(`kubectl create secret generic ${member} --from-file=kubeconfig=${config}`);
    await apply(`
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: { name: ${member} }
spec: { syncMode: Push, secretRef: { namespace: ${NAMESPACE}, name: ${member} } }`);
  }
};

const cleanUp = async (shell: Shell): Promise<void> => {
  const { run } = shell;
  await run('kubectl delete clusters.cluster.karmada.io --all --timeout=60s');
  await run(`kubectl delete namespace ${NAMESPACE} --timeout=60s`);
  await undeploy(shell);
  await run('kubectl delete mutatingwebhookconfigurations,validatingwebhookconfigurations perigee');
  await run('kubectl -n kube-system delete secret perigee-webhook');
};

/** A Scheduler gets a Deployment; what its pod would run is run here. */
const schedulerStory = async ({ run, until }: Shell, kubeconfig: string): Promise<void> => {
  const deployment =
    'kubectl -n perigee-system get deployment perigee-scheduler-scheduler1 -o name';
  await run("sed '/^---/,$ d' examples/schedulers.yaml | kubectl apply -f -");
  await until(deployment, 'deployment.apps/perigee-scheduler-scheduler1');
  const args = ['scheduler', '--name', 'scheduler1', '--kubeconfig', kubeconfig];
  await using scheduler = await startPerigeeProcess(args, 'is at work');
  await until(
    'kubectl get schedulers.globalscheduler.com -o jsonpath={.items[*].status.phase}',
    'Active',
  );
  await run('kubectl create deployment web --image=nginx --replicas=3');
  await run('kubectl apply -f examples/web-policy.yaml');
  await run('kubectl rollout status deployment/web --timeout=60s');
  const inCharge = await run('kubectl get rb web-deployment -o jsonpath={.spec.schedulerName}');
  assert.equal(inCharge, 'scheduler1');
  await run('kubectl delete schedulers.globalscheduler.com scheduler1 --timeout=60s');
  await until(`${deployment} --ignore-not-found`, '');
  assert.doesNotMatch(scheduler.said(), /forbidden/i);
  await run('kubectl delete deployment web --timeout=60s');
  await run('kubectl delete -f examples/web-policy.yaml');
};

suite('a Kubernetes API server as the control plane', { skip }, () => {
  test('does what it should with controllers beside it', async () => {
    using folder = openFolder();
    const data = join(folder.path, 'members');
    const kubeconfig = join(folder.path, 'kubeconfig');
    await using _members = await startUp(data, '--port', '0', '--controllers=');
    using plain = openKubectlShell({ kubectl, connection: [], namespace: NAMESPACE, cwd });
    const both = `KUBECONFIG=${real}:${data}/kubeconfig kubectl config view --raw --flatten`;
    writeFileSync(kubeconfig, await wordsOf(plain).run(both), { mode: 0o600 });
    using shell = openKubectlShell({
      kubectl,
      connection: [`--kubeconfig=${kubeconfig}`],
      namespace: NAMESPACE,
      cwd,
    });
    const words = wordsOf(shell);
    // As Karmada has it: objects and namespaces go, and nobody runs workloads.
    const manager = controllerManagerBinary();
    await using _manager =
      manager.skip || !real ? undefined : await startControllerManager(manager.path, real, GOING);
    const webhook = ['webhook', '--kubeconfig', kubeconfig, '--listen', '0'];
    await using _webhook = await startPerigeeProcess(webhook, 'is at work');
    await words.run('kubectl apply --server-side -f deploy/crds');
    await deploy(words);
    const as = (account: string) => kubeconfigOf(words, kubeconfig, folder.path, account);
    const args = ['controllers', '--kubeconfig', await as('perigee-controllers'), '--listen', '0'];
    await using controllers = await startPerigeeProcess(
      [...args, '--scheduler-image', 'perigee:test'],
      'are at work',
    );
    await words.run(`kubectl create namespace ${NAMESPACE}`);
    try {
      await register(words, folder.path);
      await placementStory(words);
      await schedulerStory(words, await as('perigee-scheduler'));
      assert.doesNotMatch(controllers.said(), /forbidden/i);
    } finally {
      await cleanUp(words);
    }
  });
});
