import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod, type PodSpec } from '@perigee/kubernetes/core/pod';
import { Service } from '@perigee/kubernetes/core/service';
import { EndpointSlice } from '@perigee/kubernetes/discovery/endpoint-slice';
import { PodDisruptionBudget } from '@perigee/kubernetes/policy/pod-disruption-budget';
import { isPodReady } from '../src/pods/pod-state.ts';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'p' };

const create = (
  { client }: TestCluster,
  annotations: { readonly [name: string]: string } = {},
  spec: Partial<PodSpec> = {},
): Promise<Pod> => {
  const prefixed = Object.entries(annotations).map(([name, value]) => [
    `member.perigee.io/${name}`,
    value,
  ]);
  return client.create(Pod, {
    metadata: { ...REF, labels: { app: 'p' }, annotations: Object.fromEntries(prefixed) },
    spec: { ...template('p').spec, ...spec },
  });
};

/** In a few words: phase, ready containers, restarts and what the first container does. */
const stateOf = async ({ client }: TestCluster): Promise<string> => {
  const { status } = await client.get(Pod, REF);
  const [container] = status?.containerStatuses ?? [];
  const { running, waiting, terminated } = container?.state ?? {};
  const state = running ? 'runs' : (waiting?.reason ?? terminated?.reason ?? '-');
  return `${status?.phase} ${container?.ready ? 'ready' : 'unready'} ${container?.restartCount ?? 0} ${state}`;
};

/** The states that are seen at the given seconds. */
const statesAt = async (cluster: TestCluster, seconds: readonly number[]) => {
  const states: string[] = [];
  const start = cluster.clock.now();
  for (const second of seconds) {
    await cluster.clock.advanceTo(start + second * 1000);
    states.push(await stateOf(cluster));
  }
  return states;
};

describe('a pod', () => {
  it('starts and becomes ready when it says so', async () => {
    await using cluster = await startCluster();
    await create(cluster, { 'start-delay': '5s', 'ready-delay': '10s' });
    assert.deepEqual(await statesAt(cluster, [4, 6, 14, 16]), [
      'Pending unready 0 -',
      'Running unready 0 runs',
      'Running unready 0 runs',
      'Running ready 0 runs',
    ]);
    const { status } = await cluster.client.get(Pod, REF);
    assert.match(status?.podIP ?? '', /^10\./);
    assert.match(status?.hostIP ?? '', /^172\.16\./);
  });

  it('waits for its readiness probe and for gates that others open', async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    const probed = {
      containers: [
        {
          name: 'main',
          image: 'i',
          readinessProbe: { initialDelaySeconds: 20, exec: { command: ['x'] } },
        },
      ],
      readinessGates: [{ conditionType: 'a.b/open' }],
    };
    await create(cluster, {}, probed);
    assert.deepEqual(await statesAt(cluster, [15, 25]), [
      'Running unready 0 runs',
      'Running ready 0 runs',
    ]);
    const pod = await client.get(Pod, REF);
    assert.equal(isPodReady(pod), false);
    const gate = { type: 'a.b/open', status: 'True' } as const;
    const conditions = [...(pod.status?.conditions ?? []), gate];
    await client.update(
      Pod,
      { ...pod, status: { ...pod.status, conditions } },
      { subresource: 'status' },
    );
    await clock.advance(10);
    assert.equal(isPodReady(await client.get(Pod, REF)), true);
  });

  it('tells of its init containers, and of a sidecar that runs as long as the others', async () => {
    await using cluster = await startCluster();
    const initContainers = [
      { name: 'prepare', image: 'i' },
      { name: 'proxy', image: 'i', restartPolicy: 'Always' as const },
    ];
    await create(cluster, { 'run-for': '10s' }, { restartPolicy: 'Never', initContainers });
    const told = async () => {
      const { status } = await cluster.client.get(Pod, REF);
      return (status?.initContainerStatuses ?? []).map(({ name, ready, state }) => {
        const [kind] = Object.keys(state ?? {});
        return `${name} ${kind} ${ready ? 'ready' : 'unready'}`;
      });
    };
    await cluster.clock.advance(3000);
    assert.deepEqual(await told(), ['prepare terminated ready', 'proxy running ready']);
    await cluster.clock.advance(15_000);
    assert.deepEqual(await told(), ['prepare terminated ready', 'proxy terminated unready']);
    assert.equal((await cluster.client.get(Pod, REF)).status?.phase, 'Succeeded');
  });

  it('ends with its exit code when it is not restarted', async () => {
    await using cluster = await startCluster();
    await create(cluster, { 'run-for': '10s', 'exit-code': '7' }, { restartPolicy: 'Never' });
    await cluster.clock.advance(15_000);
    const { status } = await cluster.client.get(Pod, REF);
    assert.equal(status?.phase, 'Failed');
    assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 7);
  });

  it('is restarted later each time when it crashes', async () => {
    await using cluster = await startCluster();
    await create(cluster, { fail: 'crash-loop', 'start-delay': '0s' });
    // It runs for a second; then it waits for none, ten, twenty and forty seconds.
    assert.deepEqual(await statesAt(cluster, [0.5, 1.5, 3, 11, 12.5, 13.5, 32, 33.5, 35]), [
      'Running ready 0 runs',
      'Running ready 1 runs',
      'Running unready 1 CrashLoopBackOff',
      'Running unready 1 CrashLoopBackOff',
      'Running ready 2 runs',
      'Running unready 2 CrashLoopBackOff',
      'Running unready 2 CrashLoopBackOff',
      'Running ready 3 runs',
      'Running unready 3 CrashLoopBackOff',
    ]);
  });

  it('never starts when its image cannot be pulled', async () => {
    await using cluster = await startCluster();
    await create(cluster, { fail: 'image-pull' });
    assert.deepEqual(await statesAt(cluster, [60]), ['Pending unready 0 ImagePullBackOff']);
  });

  it('has the time to end that it takes, and no longer than its grace period', async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    const isThere = async () => (await cluster.pods()).length === 1;
    await create(cluster, { 'stop-delay': '10s' });
    await clock.advance(5000);
    await client.delete(Pod, REF);
    await clock.advance(9000);
    assert.ok(await isThere());
    await clock.advance(2000);
    assert.ok(!(await isThere()));
    await create(cluster, { 'stop-delay': '1h' }, { terminationGracePeriodSeconds: 5 });
    await clock.advance(5000);
    await client.delete(Pod, REF);
    await clock.advance(6000);
    assert.ok(!(await isThere()));
  });

  it('runs no longer than its deadline', async () => {
    await using cluster = await startCluster();
    await create(cluster, {}, { activeDeadlineSeconds: 30 });
    await cluster.clock.advance(35_000);
    const { status } = await cluster.client.get(Pod, REF);
    assert.deepEqual([status?.phase, status?.reason], ['Failed', 'DeadlineExceeded']);
  });

  it('stays as it is while its node is not ready, and goes with its node', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 1 }] });
    const { client, clock } = cluster;
    await create(cluster, { 'run-for': '10s' }, { restartPolicy: 'Never' });
    await clock.advance(5000);
    const setReady = async (status: 'True' | 'False') => {
      const node = await client.get(Node, { name: 'node-0' });
      const conditions = node.status?.conditions?.map((condition) =>
        condition.type === 'Ready' ? { ...condition, status } : condition,
      );
      const next = { ...node, status: { ...node.status, ...(conditions && { conditions }) } };
      await client.update(Node, next, { subresource: 'status' });
    };
    await setReady('False');
    assert.deepEqual(await statesAt(cluster, [60]), ['Running ready 0 runs']);
    const { spec } = await client.get(Node, { name: 'node-0' });
    assert.deepEqual(
      spec?.taints?.map(({ key, effect }) => `${key}:${effect}`),
      ['node.kubernetes.io/not-ready:NoSchedule', 'node.kubernetes.io/not-ready:NoExecute'],
    );
    await setReady('True');
    assert.deepEqual(await statesAt(cluster, [1]), ['Succeeded unready 0 Completed']);
    await client.delete(Node, { name: 'node-0' });
    await clock.advance(1000);
    assert.equal((await cluster.pods()).length, 0);
  });

  it('is an endpoint of its service and counts for its budget while it is ready', async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    await client.create(Service, {
      metadata: { namespace: 'default', name: 's' },
      spec: { selector: { app: 'p' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await client.create(PodDisruptionBudget, {
      metadata: { namespace: 'default', name: 'b' },
      spec: { selector: { matchLabels: { app: 'p' } }, minAvailable: 0 },
    });
    await create(cluster, { 'ready-delay': '10s' });
    const seen = async () => {
      const { items } = await client.list(EndpointSlice, { namespace: 'default' });
      const budget = await client.get(PodDisruptionBudget, { namespace: 'default', name: 'b' });
      const endpoints = items.flatMap((slice) => slice.endpoints ?? []);
      return [
        endpoints.map(({ conditions }) => conditions.ready).join(),
        items[0]?.ports?.[0]?.port,
        budget.status?.disruptionsAllowed,
      ];
    };
    await clock.advance(5000);
    assert.deepEqual(await seen(), ['false', 8080, 0]);
    await clock.advance(10_000);
    assert.deepEqual(await seen(), ['true', 8080, 1]);
  });
});
