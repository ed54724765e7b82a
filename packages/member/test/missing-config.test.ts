import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod, type PodSpec } from '@perigee/kubernetes/core/pod';
import { Secret } from '@perigee/kubernetes/core/secret';
import { podCondition } from '../src/pods/pod-state.ts';
import { startCluster, type TestCluster } from './member-fixture.ts';
import { FakeProcesses } from './process-runtime/fake-processes.ts';
import { container, REF, type Spec, stateOf } from './process-runtime/process-pods.ts';

const AT = { name: 'settings', namespace: 'default' };
const SECRET = { metadata: AT, data: { key: Buffer.from('s3cret').toString('base64') } };

const createMap = ({ client }: TestCluster, data: { readonly [key: string]: string }) =>
  client.create(ConfigMap, { metadata: AT, data } as never);

const mounting = (volume: object): Spec => ({
  volumes: [{ name: 'v', ...volume }],
  containers: [container(['run'], { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
});

/** Messages of the events about the pod. */
const told = async ({ client }: TestCluster): Promise<readonly string[]> => {
  const { items } = await client.list(Event, { namespace: 'default' });
  const events = items as unknown as readonly { reason: string; message?: string; note?: string }[];
  return events
    .filter(({ reason }) => reason.startsWith('Failed'))
    .map(({ reason, message, note }) => `${reason}: ${message ?? note}`);
};

interface Case {
  readonly name: string;
  readonly spec: Spec;
  readonly waits: string;
  readonly tells: string;
  readonly come: (cluster: TestCluster) => Promise<unknown>;
}

const keyOf = (ref: object) => container(['run'], { env: [{ name: 'A', valueFrom: ref }] });

const CASES: readonly Case[] = [
  {
    name: 'a key of a ConfigMap as a variable',
    spec: { containers: [keyOf({ configMapKeyRef: { name: 'settings', key: 'a' } })] },
    waits: 'Pending, main CreateContainerConfigError x0',
    tells: 'Failed: Error: configmap "settings" not found',
    come: (cluster) => createMap(cluster, { a: '1' }),
  },
  {
    name: 'a Secret as variables',
    spec: { containers: [container(['run'], { envFrom: [{ secretRef: { name: 'settings' } }] })] },
    waits: 'Pending, main CreateContainerConfigError x0',
    tells: 'Failed: Error: secret "settings" not found',
    come: ({ client }) => client.create(Secret, SECRET),
  },
  {
    name: 'a key that the Secret does not have',
    spec: { containers: [keyOf({ secretKeyRef: { name: 'settings', key: 'other' } })] },
    waits: 'Pending, main CreateContainerConfigError x0',
    tells: "Failed: Error: couldn't find key other in Secret default/settings",
    come: async ({ client }) => {
      const found = await client.get(Secret, AT);
      await client.update(Secret, { ...found, data: { ...SECRET.data, other: 'eA==' } });
    },
  },
  {
    name: 'a ConfigMap as a volume',
    spec: mounting({ configMap: { name: 'settings' } }),
    waits: 'Pending, main ContainerCreating x0',
    tells: 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "settings" not found',
    come: (cluster) => createMap(cluster, {}),
  },
  {
    name: 'a Secret as a volume',
    spec: mounting({ secret: { secretName: 'settings' } }),
    waits: 'Pending, main ContainerCreating x0',
    tells: 'FailedMount: MountVolume.SetUp failed for volume "v" : secret "settings" not found',
    come: ({ client }) => client.create(Secret, SECRET),
  },
  {
    name: 'a part of a projected volume',
    spec: mounting({
      projected: {
        sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'no', optional: true } }],
      },
    }),
    waits: 'Pending, main ContainerCreating x0',
    tells: 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "settings" not found',
    come: (cluster) => createMap(cluster, {}),
  },
  {
    name: 'a key that the ConfigMap of a volume does not have',
    spec: mounting({ configMap: { name: 'settings', items: [{ key: 'b', path: 'b' }] } }),
    waits: 'Pending, main ContainerCreating x0',
    tells:
      'FailedMount: MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: b',
    come: async ({ client }) => {
      const found = await client.get(ConfigMap, AT);
      await client.update(ConfigMap, { ...found, data: { b: '2' } } as never);
    },
  },
];

const RUNTIMES = ['simulated', 'process'] as const;

const startPod = async (runtime: (typeof RUNTIMES)[number], spec: Spec) => {
  const stack = new AsyncDisposableStack();
  const processes = stack.use(new FakeProcesses());
  const cluster = stack.use(await startCluster({ processes: processes.options }));
  const annotations = { 'member.perigee.io/runtime': runtime };
  return {
    cluster,
    create: async () => {
      const metadata = { ...REF, labels: { app: 'p' }, annotations };
      await cluster.client.create(Pod, { metadata, spec: spec as PodSpec });
      await cluster.clock.advance(3000);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};

for (const runtime of RUNTIMES) {
  describe(`a pod that is run as ${runtime}`, () => {
    for (const { name, spec, waits, tells, come } of CASES) {
      it(`waits for ${name}, and starts when it is there`, async () => {
        await using world = await startPod(runtime, spec);
        const { cluster } = world;
        const { client } = cluster;
        if (name.includes('does not have')) {
          await createMap(cluster, { a: '1' });
          await client.create(Secret, SECRET);
        }
        await world.create();
        assert.equal(await stateOf(client), waits);
        await cluster.until(async () => (await told(cluster)).length > 0, 5);
        assert.deepEqual(await told(cluster), [tells]);
        const { status } = await client.get(Pod, REF);
        assert.ok(status?.startTime);
        await come(cluster);
        // Sooner than what is only looked at from time to time.
        await cluster.until(async () => (await stateOf(client)) === 'Running, main+ runs x0', 3);
        assert.deepEqual(cluster.problems, []);
      });
    }

    it('does not wait for what it can do without, or does not use', async () => {
      const optional = { name: 'none', key: 'k', optional: true };
      await using world = await startPod(runtime, {
        volumes: [
          { name: 'optional', secret: { secretName: 'none', optional: true } },
          { name: 'unused', configMap: { name: 'none' } },
        ],
        containers: [
          container(['run'], {
            env: [{ name: 'A', valueFrom: { configMapKeyRef: optional } }],
            envFrom: [{ configMapRef: { name: 'none', optional: true } }],
            volumeMounts: [{ name: 'optional', mountPath: '/o' }],
          }),
        ],
      });
      await world.create();
      assert.equal(await stateOf(world.cluster.client), 'Running, main+ runs x0');
    });

    it('waits with the init container that lacks something', async () => {
      const lacking = keyOf({ configMapKeyRef: { name: 'settings', key: 'a' } });
      await using world = await startPod(runtime, {
        initContainers: [{ ...lacking, name: 'first' }],
        containers: [container(['run'])],
      });
      await world.create();
      const { client } = world.cluster;
      assert.equal(
        await stateOf(client),
        'Pending, first CreateContainerConfigError x0, main PodInitializing x0',
      );
      const pod = await client.get(Pod, REF);
      assert.equal(podCondition(pod, 'Initialized')?.status, 'False');
    });

    it('ends at its deadline also when it has never started', async () => {
      await using world = await startPod(runtime, {
        ...mounting({ configMap: { name: 'settings' } }),
        activeDeadlineSeconds: 30,
      });
      await world.create();
      await world.cluster.clock.advance(40_000);
      const { status } = await world.cluster.client.get(Pod, REF);
      assert.deepEqual([status?.phase, status?.reason], ['Failed', 'DeadlineExceeded']);
    });
  });
}
