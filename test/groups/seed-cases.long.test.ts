import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startPerigee } from '@perigee/host/start-perigee';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { perigee } from '../../packages/cli/test/command-line.ts';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { type KubectlShell, openKubectlShell } from '../clients/kubectl-shell.ts';

const { path: kubectl, skip } = kubectlBinary();

/** The ConfigMap of the design's user cases. */
const RULES = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: volcano-controller-configmap
  namespace: volcano-system
data:
  volcano-controller.conf: |
    podgroupLevel:
    - apiversion: apps/v1                    
      kind: deployment
      adjust-level: 0
    - apiversion: argoproj.io/v1alpha1                   
      kind: workflow
      adjust-level: -1
`;

const WORKFLOWS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: workflows.argoproj.io}
spec:
  group: argoproj.io
  scope: Namespaced
  names: {kind: Workflow, plural: workflows, singular: workflow}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const WORKFLOW = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: k8s-jobs}
spec: {entrypoint: pi-tmpl}
`;

const jobOf = (workflowUid: string) => `
apiVersion: batch/v1
kind: Job
metadata:
  name: pi-job
  ownerReferences:
  - {apiVersion: argoproj.io/v1alpha1, kind: Workflow, name: k8s-jobs, uid: ${workflowUid}, controller: true}
spec:
  template:
    metadata: {name: pi, annotations: {member.perigee.io/run-for: 10m}}
    spec:
      schedulerName: volcano
      containers:
      - {name: pi, image: perl, command: ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]}
      restartPolicy: Never
  backoffLimit: 4
`;

const podOf = (name: string, group?: string) => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  ${group === undefined ? '' : `annotations: {scheduling.k8s.io/group-name: ${group}}`}
spec:
  schedulerName: volcano
  containers: [{name: main, image: nginx}]
`;

const deployment = (version: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: deploy-with-volcano}
spec:
  replicas: 2
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      schedulerName: volcano
      containers: [{name: main, image: "nginx:${version}"}]
`;

describe('the user cases of the design, by kubectl against a virtual member', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let shell: KubectlShell;
  let kubeconfig: string;
  before(async () => {
    const data = mkdtempSync(join(tmpdir(), 'perigee-groups-'));
    stack.defer(() => rmSync(data, { recursive: true, force: true }));
    const logger = createLogger({ clock, level: 'error', write: () => {} });
    const world = stack.use(await startPerigee({ data, members: 1, nodes: 1, clock, logger }));
    kubeconfig = world.kubeconfig;
    const connection = ['--kubeconfig', kubeconfig, '--context', 'member1'];
    shell = stack.use(openKubectlShell({ kubectl, connection, namespace: 'default' }));
    await run('kubectl create namespace volcano-system');
    await apply(RULES, 'volcano-system');
    await apply(WORKFLOWS);
    await run('kubectl wait crd/workflows.argoproj.io --for=condition=Established --timeout=20s');
  });
  after(() => stack.disposeAsync());

  const run = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await shell.run(command);
    assert.equal(code, 0, `${command}: ${stderr}`);
    return stdout.trim();
  };
  const apply = (text: string, namespace = 'default') => {
    writeFileSync(join(shell.folder, 'objects.yaml'), text);
    return run(`kubectl apply -n ${namespace} -f ${join(shell.folder, 'objects.yaml')}`);
  };
  const runs = (selector: string) =>
    run(`kubectl wait pod ${selector} --for=jsonpath={.status.phase}=Running --timeout=30s`);
  const groupOf = (pod: string) =>
    run(
      `kubectl get ${pod} -o 'jsonpath={.metadata.annotations.scheduling\\.k8s\\.io/group-name}'`,
    );
  const ownerOf = (group: string) =>
    run(
      `kubectl get podgroup ${group} -o 'jsonpath={.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}'`,
    );

  it('1: a pod that names its group gets no other', async () => {
    await apply(podOf('chosen', 'mine'));
    await apply(podOf('alone'));
    await runs('alone');
    assert.equal(await groupOf('pod/chosen'), 'mine');
    assert.doesNotMatch(await run('kubectl get podgroups -o name'), /mine/);
  });

  it('2: a pod without owner owns its group', async () => {
    assert.equal(await ownerOf(await groupOf('pod/alone')), 'Pod/alone');
  });

  it('3: a Job of a Workflow has the group, not the Workflow', async () => {
    await apply(WORKFLOW);
    await apply(jobOf(await run('kubectl get workflow k8s-jobs -o jsonpath={.metadata.uid}')));
    await run('kubectl wait job/pi-job --for=jsonpath={.status.active}=1 --timeout=30s');
    const pod = await run('kubectl get pods -l job-name=pi-job -o name');
    await runs('-l job-name=pi-job');
    assert.equal(await ownerOf(await groupOf(pod)), 'Job/pi-job');
    const { stdout } = await perigee(['lineage', pod, '--context', 'member1'], {
      KUBECONFIG: kubeconfig,
    });
    assert.match(stdout, /└ Job pi-job {3}← has the group\n {2}└ Workflow k8s-jobs\n/);
    assert.match(
      stdout,
      /rule argoproj\.io\/v1alpha1 workflow, level -1, 1 below Workflow k8s-jobs/,
    );
  });

  it('4: a Deployment has one group over four ReplicaSets', async () => {
    for (const version of [1, 2, 3, 4]) {
      await apply(deployment(version));
      await run('kubectl rollout status deployment/deploy-with-volcano --timeout=25s');
    }
    const sets = await run('kubectl get replicasets -l app=d -o name');
    assert.equal(sets.split('\n').length, 4);
    const owners = await run(
      "kubectl get podgroups -o 'jsonpath={.items[*].metadata.ownerReferences[0].kind}'",
    );
    assert.deepEqual(owners.split(' ').toSorted(), ['Deployment', 'Job', 'Pod']);
    const file = join(shell.folder, 'rules.conf');
    writeFileSync(file, 'podgroup-level-rules: []\n');
    // Those of the version before may be about to go.
    const newest = 'kubectl get pods -l app=d --sort-by=.metadata.creationTimestamp -o name';
    const pod = (await run(newest)).split('\n').at(-1) ?? '';
    const args = ['lineage', pod, '--context', 'member1', '--rules', file];
    const other = await perigee([...args, '-o', 'json'], { KUBECONFIG: kubeconfig });
    assert.equal(JSON.parse(other.stdout).owner.kind, 'ReplicaSet');
    writeFileSync(file, 'podgroupLevel:\n- {kind: job}\n');
    const wrong = await perigee(args, { KUBECONFIG: kubeconfig });
    assert.equal(wrong.code, 6);
    assert.match(
      wrong.stderr,
      /rules\.conf: line 2: podgroupLevel\[0\]\.apiversion: Required value/,
    );
  });
});
