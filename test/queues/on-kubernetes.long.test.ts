import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startControlPlane } from '../../tools/peers/control-plane.ts';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openKubectlShell } from '../clients/kubectl-shell.ts';
import { karmadaFolder, noApiServer } from '../data/karmada-programs.ts';
import { startPerigeeProcess } from '../placement/perigee-process.ts';
import { wordsOf } from '../placement/placement-world.ts';

const kubectl = kubectlBinary();
const skip = kubectl.skip || noApiServer;
const cwd = new URL('../../', import.meta.url).pathname;

const QUEUE = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: science }
spec: { capability: { cpu: 2 } }`;

const TOO_MUCH = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: physics }
spec: { parent: science, capability: { cpu: 3 } }`;

const CLUSTER = `
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: { name: m1 }
spec: { syncMode: Push }`;

const STATUS = {
  apiEnablements: [{ groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] }],
  resourceSummary: { allocatable: { cpu: '8', pods: '110' } },
  conditions: [
    {
      ...{ type: 'Ready', status: 'True', reason: 'ClusterReady', message: '' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};

const POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: jobs }
spec:
  resourceSelectors: [{ apiVersion: batch/v1, kind: Job }]
  placement:
    replicaScheduling: { replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated }`;

const job = (name: string) => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, labels: { volcano.sh/queue-name: science } }
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: app, resources: { requests: { cpu: "1" } } }]`;

test('the webhook and the dispatcher hold work on a Kubernetes API server', { skip }, async () => {
  await using server = await startControlPlane(karmadaFolder, { isDurable: false });
  const { kubeconfig } = server;
  const connection = [`--kubeconfig=${kubeconfig}`];
  using shell = openKubectlShell({
    ...{ kubectl: kubectl.path, connection, namespace: 'default', cwd },
  });
  const { run, until, apply } = wordsOf(shell);
  await run('kubectl apply --server-side -f deploy/crds');
  await run('kubectl wait --for=condition=Established crd --all --timeout=60s');
  const common = ['--kubeconfig', kubeconfig, '--listen', '0'];
  await using _webhook = await startPerigeeProcess(['webhook', ...common], 'is at work');
  const names = '--controllers=detector,dispatcher,gate';
  await using _ = await startPerigeeProcess(['controllers', names, ...common], 'are at work');
  await until('kubectl get queue default -o jsonpath={.status.state}', 'Open');
  await apply(QUEUE);
  await assert.rejects(apply(TOO_MUCH), /spec\.capability\[cpu\].*"3".*of science.* is 2/);
  await apply(CLUSTER);
  await run(
    `kubectl patch clusters.cluster.karmada.io m1 --subresource=status --type=merge -p '${JSON.stringify({ status: STATUS })}'`,
  );
  await apply(POLICY);
  await apply(job('first'));
  const reserved = (name: string) =>
    `kubectl get rb ${name}-job -o 'jsonpath={.metadata.annotations.policy\\.perigee\\.io/reserved}'`;
  await until(reserved('first'), /"m1":2/);
  await apply(job('second'));
  const reason = '{.status.conditions[?(@.type=="Admitted")].reason}';
  await until(`kubectl get rb second-job -o 'jsonpath=${reason}'`, 'WaitingForQuota');
  const unsuspended = `'{"spec":{"suspension":null}}'`;
  await run(`kubectl patch rb second-job --type=merge -p ${unsuspended}`);
  const suspension = 'kubectl get rb second-job -o jsonpath={.spec.suspension}';
  assert.equal(await run(suspension), '{"scheduling":true}', 'the queue decides, nobody else');
  await run('kubectl delete job first --wait=false');
  await run('kubectl delete rb first-job --wait=false');
  // In place of the controller that takes work out of members, which does not run here.
  await run(`kubectl patch rb first-job --type=merge -p '{"metadata":{"finalizers":null}}'`);
  await until(reserved('second'), /"m1":2/);
  assert.equal(await run(suspension), '');
});
