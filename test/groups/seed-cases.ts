import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { perigee } from '../../packages/cli/test/command-line.ts';
import type { KubectlShell } from '../clients/kubectl-shell.ts';

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

/** A cluster in which the cases are played. */
export interface SeedWorld {
  readonly shell: KubectlShell;
  readonly kubeconfig: string;
  readonly context: string;
}

export const runIn = async (
  { shell }: Pick<SeedWorld, 'shell'>,
  command: string,
): Promise<string> => {
  const { code, stdout, stderr } = await shell.run(command);
  assert.equal(code, 0, `${command}: ${stderr}`);
  return stdout.trim();
};

export const applyIn = (
  world: Pick<SeedWorld, 'shell'>,
  text: string,
  namespace = 'default',
): Promise<string> => {
  const file = join(world.shell.folder, 'objects.yaml');
  writeFileSync(file, text);
  return runIn(world, `kubectl apply -n ${namespace} -f ${file}`);
};

/** Creates the objects that the cases need. */
export const prepareSeedCases = async (world: SeedWorld): Promise<void> => {
  await runIn(world, 'kubectl create namespace volcano-system');
  await applyIn(world, RULES, 'volcano-system');
  await applyIn(world, WORKFLOWS);
  const crd = 'crd/workflows.argoproj.io';
  await runIn(world, `kubectl wait ${crd} --for=condition=Established --timeout=20s`);
};

/** The user cases of the design. */
export const seedCases = (world: () => SeedWorld): void => {
  const run = (command: string) => runIn(world(), command);
  const apply = (text: string) => applyIn(world(), text);
  const lineage = (...args: readonly string[]) => {
    const { context, kubeconfig } = world();
    return perigee(['lineage', ...args, '--context', context], { KUBECONFIG: kubeconfig });
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
    const { stdout } = await lineage('pod/chosen');
    assert.match(
      stdout,
      /^Pod chosen\n\nbecause {2}the pod names its group itself, so no rule counts/,
    );
    assert.match(stdout, /\ngroup {4}mine: it is not there\n$/);
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
    const { stdout } = await lineage(pod);
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
    const file = join(world().shell.folder, 'rules.conf');
    writeFileSync(file, 'podgroup-level-rules: []\n');
    // Those of the version before may be about to go.
    const newest = 'kubectl get pods -l app=d --sort-by=.metadata.creationTimestamp -o name';
    const pod = (await run(newest)).split('\n').at(-1) ?? '';
    const other = await lineage(pod, '--rules', file, '-o', 'json');
    assert.equal(JSON.parse(other.stdout).owner.kind, 'ReplicaSet');
    writeFileSync(file, 'podgroupLevel:\n- {kind: job}\n');
    const wrong = await lineage(pod, '--rules', file);
    assert.equal(wrong.code, 6);
    assert.match(
      wrong.stderr,
      /rules\.conf: line 2: podgroupLevel\[0\]\.apiversion: Required value/,
    );
  });
};
