import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

/** Sends some kinds of objects to the first member. */
const policy = (...kinds: readonly string[]): string => `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: { name: to-member1 }
spec:
  resourceSelectors: [${kinds.map((kind) => `{ ${kind} }`).join(', ')}]
  placement:
    clusterAffinity: { clusterNames: [member1] }
    replicaScheduling: { replicaSchedulingType: Duplicated }`;

const inMember = (what: string, path: string): string =>
  `kubectl --context=member1 get ${what} -o 'jsonpath=${path}'`;

/** The path of a label or an annotation, in the words of kubectl. */
const wordAt = (field: 'labels' | 'annotations', key: string): string =>
  `{.metadata.${field}.${key.replaceAll('.', '\\.')}}`;

/** Each of these is set alone, on an object that is already where it should be. */
test('what users are told to set on a template takes effect at once', { skip }, async (context) => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, apply } = world;
  await apply(
    policy(
      'apiVersion: v1, kind: ConfigMap, name: settings',
      'apiVersion: v1, kind: Pod, name: once',
      'apiVersion: apps/v1, kind: Deployment, name: web',
    ),
  );

  await context.test('work.karmada.io/conflict-resolution', async () => {
    const data = inMember('configmap settings', '{.data.by}');
    await run('kubectl --context=member1 create configmap settings --from-literal=by=member');
    await run('kubectl create configmap settings --from-literal=by=template');
    const applied = `kubectl get resourcebinding settings-configmap -o 'jsonpath={.status.aggregatedStatus[0].appliedMessage}'`;
    await until(applied, /not managed from here/);
    await until(data, 'member');
    await run('kubectl annotate configmap settings work.karmada.io/conflict-resolution=overwrite');
    await until(data, 'template');
  });

  await context.test('resourcetemplate.karmada.io/retain-replicas', async () => {
    const label = 'resourcetemplate.karmada.io/retain-replicas';
    const replicas = inMember('deployment web', '{.spec.replicas}');
    await run('kubectl create deployment web --image=nginx:1 --replicas=2');
    await until(replicas, '2');
    await run(`kubectl label deployment web ${label}=true`);
    await until(inMember('deployment web', wordAt('labels', label)), 'true');
    await run('kubectl --context=member1 scale deployment web --replicas=5');
    await run('kubectl set image deployment/web nginx=nginx:2');
    await until(
      inMember('deployment web', '{.spec.template.spec.containers[0].image} {.spec.replicas}'),
      'nginx:2 5',
    );
    await run(`kubectl label deployment web ${label}-`);
    await until(replicas, '2');
  });

  await context.test('member.perigee.io/run-for', async () => {
    await run('kubectl run once --image=busybox --restart=Never');
    await until(inMember('pod once', '{.status.phase}'), 'Running');
    await run('kubectl annotate pod once member.perigee.io/run-for=1h');
    await until(inMember('pod once', wordAt('annotations', 'member.perigee.io/run-for')), '1h');
  });

  await context.test('resourcetemplate.karmada.io/claimed-by', async () => {
    const label = 'resourcetemplate.karmada.io/claimed-by';
    const image = inMember('deployment web', '{.spec.template.spec.containers[0].image}');
    await run(`kubectl label deployment web ${label}=me`);
    await run('kubectl set image deployment/web nginx=nginx:3');
    // A later change of another template reaches its members before this one does.
    await run(`kubectl patch configmap settings -p '{"data":{"by":"later"}}'`);
    await until(inMember('configmap settings', '{.data.by}'), 'later');
    assert.equal(await run(image), 'nginx:2');
    await run(`kubectl label deployment web ${label}-`);
    await until(image, 'nginx:3');
  });

  await context.test('resourcetemplate.karmada.io/deletion-protected', async () => {
    const label = 'resourcetemplate.karmada.io/deletion-protected';
    await run(`kubectl label deployment web ${label}=Always`);
    await until('kubectl delete deployment web 2>&1', /is protected, please make sure to remove/);
    await run(`kubectl label deployment web ${label}-`);
    await run('kubectl delete deployment web');
    await until('kubectl --context=member1 get deployment web 2>&1', /not found/);
  });

  await context.test('namespace.karmada.io/skip-auto-propagation', async () => {
    const label = 'namespace.karmada.io/skip-auto-propagation';
    await apply(`
apiVersion: v1
kind: Namespace
metadata: { name: mine, labels: { ${label}: "true" } }`);
    await until('kubectl --context=member1 get namespace mine 2>&1', /not found/);
    await run(`kubectl label namespace mine ${label}-`);
    await until('kubectl --context=member1 get namespace mine -o name', 'namespace/mine');
  });
});
