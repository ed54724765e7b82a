import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const CLUSTER = 'clusters.cluster.karmada.io';
const TAINT = { key: 'example.com/lost', effect: 'NoExecute' };

const POLICY = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: default-pp
spec:
  propagateDeps: true
  resourceSelectors:
    - { apiVersion: apps/v1, kind: Deployment, name: demo-test-1 }
    - { apiVersion: apps/v1, kind: Deployment, name: demo-test-2 }
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference: { dynamicWeight: AvailableReplicas }`;

/** As the proposal has it, word for word. */
const DEMO = `
apiVersion: policy.karmada.io/v1alpha1
kind: ScheduleTrigger
metadata:
  name: demo
spec:
  targetRefResource:
    - apiVersion: apps/v1
      kind: Deployment
      name: demo-test-1
      namespace: default
    - apiVersion: apps/v1
      kind: Deployment
      name: demo-test-2
      namespace: default
  targetRefPolicy:
    - name: default-pp
      namespace: default
  retryAfterSeconds: 3         # optional, default is 3 seconds
  autoCleanAfterMinutes: 5     # optional, default is 60 monites, 0 means never do auto clean`;

const triggerOf = (name: string, target: string) => `
apiVersion: policy.karmada.io/v1alpha1
kind: ScheduleTrigger
metadata: { name: ${name} }
spec:
  ${target}`;

const BY_RESOURCE =
  'targetRefResource: [{ apiVersion: apps/v1, kind: Deployment, name: demo-test-1, namespace: default }]';
const BY_POLICY = 'targetRefPolicy: [{ name: default-pp, namespace: default }]';

const phaseOf = (name: string) => `kubectl get scheduletrigger ${name} -o jsonpath={.status.phase}`;

test('triggers bring replicas back to a cluster that returned, as the proposal tells it', {
  skip,
}, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, apply, untilSpread } = world;
  await run('kubectl create deployment demo-test-1 --image=nginx --replicas=6');
  await apply(POLICY);
  await untilSpread('demo-test-1', '2/2 2/2 2/2');

  const lose = () => {
    const taint = JSON.stringify([{ op: 'add', path: '/spec/taints', value: [TAINT] }]);
    return run(`kubectl patch ${CLUSTER} member3 --type=json -p '${taint}'`);
  };
  const restore = () =>
    run(
      `kubectl patch ${CLUSTER} member3 --type=json -p '[{"op":"remove","path":"/spec/taints"}]'`,
    );
  const clusters =
    "kubectl get rb demo-test-1-deployment -o 'jsonpath={range .spec.clusters[*]}{.name}={.replicas} {end}{.spec.gracefulEvictionTasks}'";

  for (const [name, target] of [
    ['by-resource', BY_RESOURCE],
    ['by-policy', BY_POLICY],
  ] as const) {
    await lose();
    await until(clusters, 'member1=3 member2=3');
    await restore();
    await untilSpread('demo-test-1', '3/3 3/3 -');
    assert.equal(await run(clusters), 'member1=3 member2=3');
    await apply(triggerOf(name, target));
    await until(phaseOf(name), 'Success');
    await untilSpread('demo-test-1', '2/2 2/2 2/2');
    await until(clusters, 'member1=2 member2=2 member3=2');
  }

  await apply(DEMO);
  await until(phaseOf('demo'), 'Failed');
  const failed =
    "kubectl get scheduletrigger demo -o 'jsonpath={range .status.failedResourceList[*]}{.kind}/{.name}: {.failReason}{end}'";
  assert.match(await run(failed), /^Deployment\/demo-test-2: BindingNotFound: there is no binding/);
  await run('kubectl create deployment demo-test-2 --image=nginx --replicas=3');
  await until(phaseOf('demo'), 'Success');
  assert.equal(await run(failed), '');
  assert.match(
    await run(
      "kubectl get rb demo-test-2-deployment -o 'jsonpath={.spec.rescheduleTriggeredAt} {.status.lastScheduledTime}'",
    ),
    /^(\S+Z) \1$/,
  );

  const events = await run('kubectl describe deployment demo-test-1');
  for (const [reason, from, message] of [
    ['ScheduleBindingSucceed', 'default-scheduler', 'Binding has been scheduled successfully.'],
    ['GetDependenciesSucceed', 'dependencies-distributor', 'Get dependencies([]) succeed.'],
    [
      'SyncSucceed',
      'execution-controller',
      'Successfully applied resource(default/demo-test-1) to cluster member1',
    ],
    [
      'AggregateStatusSucceed',
      'resource-binding-status-controller',
      'Update resourceBinding(default/demo-test-1-deployment) with AggregatedStatus successfully.',
    ],
  ] as const) {
    const line = events.split('\n').find((one) => one.includes(reason) && one.includes(message));
    assert.match(line ?? '', new RegExp(`Normal +${reason} .*${from} `), events);
  }
});

test('bad input gets a clear answer, and changes nothing', { skip }, async () => {
  await using world = await openPlacementWorld(kubectl, { members: 0 });
  const { shell } = world;
  const refused = async (spec: string, message: RegExp) => {
    const yaml = triggerOf('bad', spec);
    const { code, stderr } = await shell.run(`kubectl apply -f - <<'END'\n${yaml}\nEND`);
    assert.notEqual(code, 0, spec);
    assert.match(stderr, message);
  };
  await refused('retryAfterSeconds: 3', /name at least one target/);
  await refused(`${BY_POLICY}\n  retryAfterSeconds: -1`, /greater than or equal to 0/);
  await refused(`${BY_POLICY}\n  maxConcurrent: 0`, /greater than or equal to 1/);
  await refused(
    'targetSelectors: [{ labelSelector: { matchExpressions: [{ key: a, operator: In }] } }]',
    /values set can't be empty/,
  );
  await refused(
    'targetSelectors: [{ labelSelector: { matchLabels: { a: b }, matchExpressions: [{ key: a, operator: DoesNotExist }] } }]',
    /nothing can match it: it contradicts itself about a/,
  );
  await refused(`${BY_POLICY}\n  schedule: "61 * * * *"`, /spec.schedule.*above maximum/);
  await refused(`${BY_POLICY}\n  schedule: "@daily"\n  timeZone: Mars`, /unknown time zone Mars/);
  await refused(`${BY_POLICY}\n  budget: { maxRunsPerDay: 2 }`, /set schedule or onClusters/);
  await refused(
    `${BY_POLICY}\n  schedule: "@daily"\n  quietHours: [{ from: "25:00", to: "06:00" }]`,
    /quietHours\[0\].from/,
  );
  assert.equal(await world.run('kubectl get scheduletriggers -o name'), '');
});
