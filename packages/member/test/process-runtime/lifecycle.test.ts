import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isNotFound } from '@perigee/kube/errors';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { podCondition } from '../../src/pods/pod-state.ts';
import { startCluster, type TestCluster, template } from '../member-fixture.ts';
import { FakeProcesses } from './fake-processes.ts';
import { container, createPod, REF, type Spec, stateOf } from './process-pods.ts';

interface World extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly processes: FakeProcesses;
  state(): Promise<string>;
}

/** A pod in a member that runs processes, a second after it was created. */
const startPod = async (spec: Spec, prepare = (_: FakeProcesses) => {}): Promise<World> => {
  const stack = new AsyncDisposableStack();
  const processes = stack.use(new FakeProcesses());
  prepare(processes);
  const cluster = stack.use(await startCluster({ processes: processes.options }));
  await createPod(cluster.client, spec);
  await cluster.clock.advance(1000);
  return {
    cluster,
    processes,
    state: () => stateOf(cluster.client),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};

const isGone = async ({ client }: TestCluster): Promise<boolean> => {
  try {
    await client.get(Pod, REF);
    return false;
  } catch (error) {
    return isNotFound(error);
  }
};

describe('a pod that runs as a process', () => {
  it('runs until its command is done, and tells how that went', async () => {
    await using world = await startPod({
      restartPolicy: 'Never',
      containers: [container(['work', '--hard'], { args: ['now'] })],
    });
    const { processes, cluster } = world;
    assert.deepEqual(processes.lines, ['work --hard now']);
    assert.equal(await world.state(), 'Running, main+ runs x0');
    processes.last.exit(3);
    await cluster.clock.advance(0);
    assert.equal(await world.state(), 'Failed, main Error 3 x0');
    assert.deepEqual(cluster.problems, []);
  });

  it('is restarted at once, and then later each time', async () => {
    await using world = await startPod({ containers: [container(['crash'])] });
    const { processes, cluster } = world;
    const states: string[] = [];
    for (const seconds of [0, 9, 1, 19, 1]) {
      if (processes.last.signals.length === 0) processes.last.exit(1);
      await cluster.clock.advance(seconds * 1000);
      states.push(await world.state());
    }
    assert.deepEqual(states, [
      'Running, main+ runs x1',
      'Running, main CrashLoopBackOff x1',
      'Running, main+ runs x2',
      'Running, main CrashLoopBackOff x2',
      'Running, main+ runs x3',
    ]);
    const { status } = await cluster.client.get(Pod, REF);
    assert.equal(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 1);
  });

  it('does one init container after the other, and then the others', async () => {
    await using world = await startPod({
      restartPolicy: 'OnFailure',
      initContainers: [container(['one'], { name: 'a' }), container(['two'], { name: 'b' })],
      containers: [container(['main'])],
    });
    const { processes, cluster } = world;
    const initialised = async () =>
      podCondition(await cluster.client.get(Pod, REF), 'Initialized')?.status;
    const end = async (code: number) => {
      processes.last.exit(code);
      await cluster.clock.advance(0);
    };
    assert.deepEqual(processes.lines, ['one']);
    assert.equal(
      await world.state(),
      'Pending, a+ runs x0, b PodInitializing x0, main PodInitializing x0',
    );
    assert.equal(await initialised(), 'False');
    await end(1);
    assert.deepEqual(processes.lines, ['one', 'one']);
    await end(0);
    await end(0);
    assert.deepEqual(processes.lines, ['one', 'one', 'two', 'main']);
    assert.equal(await initialised(), 'True');
    await end(0);
    assert.equal(
      await world.state(),
      'Succeeded, a Completed 0 x1, b Completed 0 x0, main Completed 0 x0',
    );
  });

  it('keeps sidecars as long as the others, and not longer', async () => {
    await using world = await startPod({
      restartPolicy: 'Never',
      initContainers: [container(['side'], { name: 'side', restartPolicy: 'Always' })],
      containers: [container(['main'])],
    });
    const { processes, cluster } = world;
    assert.deepEqual(processes.lines, ['side', 'main']);
    processes.last.exit(0);
    await cluster.clock.advance(0);
    assert.deepEqual(processes.started[0]?.signals, ['SIGTERM']);
    assert.equal(await world.state(), 'Succeeded, side Error 143 x0, main Completed 0 x0');
  });

  it('starts nothing after a sidecar before the sidecar has started', async () => {
    const started = Promise.withResolvers<void>();
    await using world = await startPod(
      {
        initContainers: [container(['side'], { name: 'side', restartPolicy: 'Always' })],
        containers: [container(['main'])],
      },
      (processes) => {
        processes.beforeStart = (command) => (command === 'side' ? started.promise : undefined);
      },
    );
    const { processes, cluster } = world;
    assert.deepEqual(processes.lines, []);
    assert.equal(await world.state(), 'Pending, side PodInitializing x0, main PodInitializing x0');
    started.resolve();
    await cluster.clock.advance(0);
    assert.deepEqual(processes.lines, ['side', 'main']);
  });

  it('is told to end when it is deleted, and killed when it does not', async () => {
    await using world = await startPod(
      { terminationGracePeriodSeconds: 5, containers: [container(['stubborn'])] },
      (processes) => {
        processes.onStart = (started) => started.ignoreTerm();
      },
    );
    const { processes, cluster } = world;
    await cluster.client.delete(Pod, REF);
    await cluster.clock.advance(4900);
    assert.deepEqual(processes.last.signals, ['SIGTERM']);
    assert.equal(await isGone(cluster), false);
    await cluster.clock.advance(200);
    assert.deepEqual(processes.last.signals, ['SIGTERM', 'SIGKILL']);
    assert.equal(await isGone(cluster), true);
    assert.deepEqual(readdirSync(join(processes.folder, 'pods')), []);
  });

  it('is killed at once when it is deleted by force', async () => {
    await using world = await startPod({ containers: [container(['stubborn'])] }, (processes) => {
      processes.onStart = (started) => started.ignoreTerm();
    });
    await world.cluster.client.delete(Pod, REF, { gracePeriodSeconds: 0 });
    await world.cluster.clock.advance(0);
    assert.deepEqual(world.processes.last.signals, ['SIGTERM', 'SIGKILL']);
    assert.equal(await isGone(world.cluster), true);
  });

  it('ends at its deadline', async () => {
    await using world = await startPod({
      activeDeadlineSeconds: 60,
      containers: [container(['endless'])],
    });
    await world.cluster.clock.advance(61_000);
    assert.equal(await world.state(), 'Failed, DeadlineExceeded, main Error 143 x0');
  });

  it('waits for a ConfigMap that is not there yet', async () => {
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }];
    await using world = await startPod({ containers: [container(['work'], { env })] });
    const { cluster, processes } = world;
    assert.equal(await world.state(), 'Pending, main CreateContainerConfigError x0');
    const metadata = { name: 'settings', namespace: 'default' };
    await cluster.client.create(ConfigMap, { metadata, data: { a: 'found' } });
    await cluster.clock.advance(10_000);
    assert.equal(await world.state(), 'Running, main+ runs x0');
    assert.equal(processes.last.order.env.A, 'found');
  });

  it('fails without a command, and says what is missing', async () => {
    await using world = await startPod({ containers: [{ name: 'main', image: 'nginx' }] });
    assert.equal(
      await world.state(),
      'Failed, CreateContainerConfigError, main CreateContainerConfigError x0',
    );
    const { status } = await world.cluster.client.get(Pod, REF);
    assert.match(status?.message ?? '', /images are not run here.*give it a command/);
  });

  it('is ready while its readiness probe passes, and restarted when its liveness probe fails', async () => {
    const codes = { ready: 0, live: 0 };
    const every = { periodSeconds: 1, failureThreshold: 1 };
    await using world = await startPod(
      {
        containers: [
          container(['serve'], {
            readinessProbe: { exec: { command: ['ready'] }, ...every },
            livenessProbe: { exec: { command: ['live'] }, ...every },
          }),
        ],
      },
      (processes) => {
        processes.onStart = (started) => {
          // The next one is well.
          if (started.order.command === 'serve') codes.live = 0;
          const code = codes[started.order.command as keyof typeof codes];
          if (code !== undefined) started.exit(code);
        };
      },
    );
    const { cluster } = world;
    assert.equal(await world.state(), 'Running, main+ runs x0');
    codes.ready = 1;
    await cluster.clock.advance(1500);
    assert.equal(await world.state(), 'Running, main runs x0');
    codes.ready = 0;
    codes.live = 1;
    await cluster.clock.advance(1000);
    assert.equal(await world.state(), 'Running, main+ runs x1');
  });

  it('begins again in a member that was stopped meanwhile', async () => {
    await using world = await startPod({ containers: [container(['serve'])] });
    const { cluster, processes } = world;
    await cluster.restartMember();
    assert.deepEqual(processes.started[0]?.signals, ['SIGTERM']);
    await cluster.clock.advance(1000);
    assert.equal(await world.state(), 'Running, main+ runs x1');
    const { status } = await cluster.client.get(Pod, REF);
    const { terminated } = status?.containerStatuses?.[0]?.lastState ?? {};
    assert.equal(terminated?.reason, 'ContainerStatusUnknown');
  });

  it('does not seem to run any more when its member stopped, and it is not begun again', async () => {
    await using world = await startPod({
      restartPolicy: 'Never',
      containers: [container(['serve'])],
    });
    await world.cluster.restartMember();
    await world.cluster.clock.advance(1000);
    assert.equal(await world.state(), 'Failed, main ContainerStatusUnknown 137 x0');
  });

  for (const restartPolicy of ['Never', 'OnFailure']) {
    it(`that completed while its member was away does not run twice (${restartPolicy})`, async () => {
      await using world = await startPod({ restartPolicy, containers: [container(['sum'])] });
      const [sum] = world.processes.started;
      // As its sandbox does, whoever is there to be told.
      writeFileSync(sum?.order.endFile ?? '', 'started\n0\n');
      await world.cluster.restartMember();
      await world.cluster.clock.advance(1000);
      assert.equal(await world.state(), 'Succeeded, main Completed 0 x0');
      assert.deepEqual(world.processes.lines, ['sum']);
    });
  }
});

describe('a member that was not told to run processes', () => {
  it('lets pods that ask for them wait, and plays the others', async () => {
    await using cluster = await startCluster();
    await createPod(cluster.client, { containers: [container(['work'])] });
    await cluster.clock.advance(5000);
    assert.equal(await stateOf(cluster.client), 'Pending, main ProcessesNotAllowed x0');
    await cluster.client.delete(Pod, REF);
    await cluster.clock.advance(5000);
    assert.equal(await isGone(cluster), true);
  });

  it('does not make pods without end for a Deployment of them', async () => {
    await using cluster = await startCluster();
    const annotations = { 'member.perigee.io/runtime': 'process' };
    await cluster.client.create(ReplicaSet, {
      metadata: { name: 'r', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'r' } },
        template: template('r', {}, annotations),
      },
    });
    await cluster.clock.advance(60_000);
    assert.equal((await cluster.pods()).length, 1);
  });
});

describe('a member that runs processes for some namespaces', () => {
  const inNamespace = async (cluster: TestCluster, namespace: string, all: boolean) => {
    const runtime: [string, string][] = all ? [] : [['member.perigee.io/runtime', 'process']];
    const annotations = Object.fromEntries(runtime);
    await cluster.client.create(Namespace, { metadata: { name: namespace } });
    const metadata = { name: 'p', namespace, annotations };
    await cluster.client.create(Pod, { metadata, spec: { containers: [container(['work'])] } });
  };
  const waitingIn = async ({ client }: TestCluster, namespace: string) => {
    const { status } = await client.get(Pod, { name: 'p', namespace });
    return status?.containerStatuses?.[0]?.state?.waiting;
  };

  it('lets those of others wait, says why, and goes on when they are allowed', async () => {
    using processes = new FakeProcesses();
    const options = { ...processes.options, namespaces: ['team-a'] };
    await using cluster = await startCluster({ processes: options });
    await inNamespace(cluster, 'team-a', false);
    await inNamespace(cluster, 'team-b', false);
    await cluster.clock.advance(5000);
    assert.deepEqual(processes.lines, ['work']);
    const { reason, message = '' } = (await waitingIn(cluster, 'team-b')) ?? {};
    assert.equal(reason, 'ProcessesNotAllowed');
    assert.match(message, /namespace "team-b".*--process-namespaces/);
    options.namespaces.push('team-b');
    await cluster.restartMember();
    await cluster.clock.advance(5000);
    assert.equal(await waitingIn(cluster, 'team-b'), undefined);
  });

  it('plays pods of others that do not ask for processes, also where all pods run so', async () => {
    using processes = new FakeProcesses();
    const options = { ...processes.options, namespaces: ['team-a'], all: true };
    await using cluster = await startCluster({ processes: options });
    await inNamespace(cluster, 'team-a', true);
    await inNamespace(cluster, 'team-b', true);
    await cluster.clock.advance(5000);
    assert.deepEqual(processes.lines, ['work']);
    const { status } = await cluster.client.get(Pod, { name: 'p', namespace: 'team-b' });
    assert.equal(status?.phase, 'Running');
  });
});

describe('a member that runs all pods as processes', () => {
  it('runs those that say nothing', async () => {
    using processes = new FakeProcesses();
    await using cluster = await startCluster({ processes: { ...processes.options, all: true } });
    const spec = { containers: [container(['work'])] };
    await cluster.client.create(Pod, { metadata: REF, spec });
    const annotations = { 'member.perigee.io/runtime': 'simulated' };
    const other = { name: 'q', namespace: 'default', annotations };
    await cluster.client.create(Pod, { metadata: other, spec });
    await cluster.clock.advance(5000);
    assert.deepEqual(processes.lines, ['work']);
    assert.equal((await cluster.client.get(Pod, other)).status?.phase, 'Running');
  });
});
