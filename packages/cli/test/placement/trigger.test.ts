import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { scheduleTriggerController } from '@perigee/controllers/placement/triggers/schedule-trigger-controller';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { openStage, type Stage } from '../command-line.ts';

let stage: Stage;
const stack = new AsyncDisposableStack();

const addCluster = async (name: string) => {
  const { client } = stage.server;
  await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
  const status = {
    apiEnablements: [
      { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    ],
    resourceSummary: { allocatable: { cpu: '100', pods: '110' } },
  };
  const options = { subresource: 'status' };
  await client.patch(MemberCluster, { name }, { type: 'merge', body: { status } }, options);
};

before(async () => {
  stage = stack.use(await openStage());
  const { client } = stage.server;
  const controllers = [
    ...BINDING_KINDS.map((kind) => schedulerController(kind)),
    scheduleTriggerController(),
  ];
  const logger = createLogger({ clock, level: 'error' });
  const manager = stack.use(new Manager({ client, clock, logger, controllers }));
  await manager.start();
  await addCluster('m1');
  await addCluster('m2');
  await client.create(ResourceBinding, {
    metadata: {
      namespace: 'default',
      name: 'web-deployment',
      labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' },
      annotations: {
        'propagationpolicy.karmada.io/namespace': 'default',
        'propagationpolicy.karmada.io/name': 'p',
        'policy.karmada.io/applied-placement':
          '{"replicaScheduling":{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Weighted","weightPreference":{"dynamicWeight":"AvailableReplicas"}}}',
      },
    },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
      replicas: 4,
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      clusters: [{ name: 'm1', replicas: 4 }],
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: { dynamicWeight: 'AvailableReplicas' },
        },
      },
    } as never,
  });
});

after(() => stack.disposeAsync());

const triggers = async () => (await stage.server.client.list(ScheduleTrigger)).items.length;

describe('perigee trigger and failback', () => {
  it('refuse what is wrong, and change nothing', async () => {
    const cases = [
      [['trigger'], 2, /say what to schedule afresh/],
      [
        ['trigger', '--policy', 'none'],
        3,
        /PropagationPolicy default\/none: there is no such policy/,
      ],
      [['trigger', 'deployment/none'], 3, /Deployment default\/none: there is no binding/],
      [['trigger', '-l', 'a,!a'], 6, /targetSelectors\[0\].labelSelector.*contradicts itself/],
      [['failback', 'm9'], 3, /Cluster m9: there is no such cluster/],
    ] as const;
    await Promise.all(
      cases.map(async ([args, code, message]) => {
        const { code: actual, stderr } = await stage.run(args);
        assert.equal(actual, code, args.join(' '));
        assert.match(stderr.replaceAll(/\s+/g, ' '), message);
      }),
    );
    assert.equal(await triggers(), 0);
  });

  it('tell with --dry-run what then happens', async () => {
    const plan = await stage.run(['failback', 'm2', '--dry-run']);
    assert.equal(plan.code, 2, plan.stderr);
    assert.match(plan.stdout, /deployment\/web +default +Scheduled +m1:4 +m1:2 m2:2 +2/);
    assert.match(plan.stdout, /Of 1 resource: 1 would move, 2 replicas\./);
    assert.equal(await triggers(), 0);
    const done = await stage.run(['failback', 'm2', '--wait', '-o', 'json']);
    assert.equal(done.code, 0, done.stderr);
    const { status } = JSON.parse(done.stdout) as ScheduleTrigger;
    assert.partialDeepStrictEqual(status, {
      phase: 'Success',
      targets: [{ name: 'web', result: 'Scheduled', replicasMoved: 2 }],
    });
    const again = await stage.run(['trigger', 'deployment/web', '--dry-run', '-o', 'json']);
    assert.equal(again.code, 0, again.stderr);
    assert.partialDeepStrictEqual(JSON.parse(again.stdout), {
      targets: [{ name: 'web', result: 'NoChange' }],
    });
  });

  it('warn of a cluster that cannot get work yet', async () => {
    const { client } = stage.server;
    const lost = { type: 'Ready', status: 'False', reason: 'ClusterNotReachable' } as const;
    const condition = { ...lost, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await client.create(MemberCluster, { metadata: { name: 'm3' }, spec: { syncMode: 'Push' } });
    await patchStatus(
      client,
      MemberCluster,
      { metadata: { name: 'm3' } },
      { conditions: [condition] },
    );
    const { stderr } = await stage.run(['failback', 'm3', '--dry-run']);
    assert.match(stderr, /m3 is not ready \(ClusterNotReachable\): no work goes there until it is/);
  });
});
