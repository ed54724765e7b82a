import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Pod } from '@perigee/kubernetes/core/pod';
import { Secret } from '@perigee/kubernetes/core/secret';
import { expandVariables } from '../../src/process-runtime/expand-variables.ts';
import { startCluster } from '../member-fixture.ts';
import { FakeProcesses } from './fake-processes.ts';
import { container, createPod, REF, type Spec, stateOf } from './process-pods.ts';

describe('a reference to a variable', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['$(A)', 'one'],
    ['-$(A)-$(B)-', '-one--'],
    ['$(NONE)', '$(NONE)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$one'],
    ['$A $ {A} $', '$A $ {A} $'],
    ['$(A', '$(A'],
    ['$(toString)', '$(toString)'],
  ];
  for (const [text, expected] of cases) {
    it(`${text} is ${expected}`, () => {
      assert.equal(expandVariables(text, { A: 'one', B: '' }), expected);
    });
  }
});

/** The order with which a pod's process starts, in a cluster that has a ConfigMap and a Secret. */
const orderOf = async (spec: Spec, hostPaths: readonly string[] = []) => {
  const stack = new AsyncDisposableStack();
  const processes = stack.use(new FakeProcesses());
  const options = { ...processes.options, hostPaths };
  const cluster = stack.use(await startCluster({ processes: options }));
  const metadata = { name: 'settings', namespace: 'default' };
  const data = { colour: 'blue', 'a.conf': 'x=1\n' };
  await cluster.client.create(ConfigMap, { metadata, data } as never);
  const secret = { metadata, data: { key: Buffer.from('s3cret').toString('base64') } };
  await cluster.client.create(Secret, secret);
  await createPod(cluster.client, spec);
  await cluster.clock.advance(1000);
  return { cluster, processes, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

describe('a process', () => {
  it('gets the variables of its pod, and none of this process', async () => {
    process.env.PERIGEE_TEST_LEAK = 'yes';
    await using world = await orderOf({
      containers: [
        container(['run', '$(COLOUR)'], {
          args: ['$(NODE)', '$$(COLOUR)'],
          envFrom: [{ prefix: 'S_', secretRef: { name: 'settings' } }],
          env: [
            { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
            { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
            { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
            { name: 'BOTH', value: '$(COLOUR)/$(S_key)' },
            { name: 'HOME', value: '/elsewhere' },
            {
              name: 'NOTHING',
              valueFrom: { secretKeyRef: { name: 'none', key: 'k', optional: true } },
            },
          ],
        }),
      ],
    });
    const { env, args, folder } = world.processes.last.order;
    const { PERIGEE_ROOT: root, PERIGEE_POD_UID: uid, ...others } = env;
    const { metadata, spec } = await world.cluster.client.get(Pod, REF);
    assert.deepEqual(others, {
      PATH: '/bin',
      HOSTNAME: 'p',
      S_key: 's3cret',
      COLOUR: 'blue',
      NODE: spec.nodeName,
      APP: 'p',
      BOTH: 'blue/s3cret',
      HOME: '/elsewhere',
    });
    assert.equal(uid, metadata.uid);
    assert.equal(root, folder);
    assert.deepEqual(args, ['blue', spec.nodeName, '$(COLOUR)']);
  });

  it('finds its volumes below its root, and nobody else does', async () => {
    await using world = await orderOf({
      volumes: [
        {
          name: 'settings',
          configMap: { name: 'settings', items: [{ key: 'a.conf', path: 'sub/a' }] },
        },
        { name: 'secret', secret: { secretName: 'settings' } },
        { name: 'scratch', emptyDir: {} },
        {
          name: 'about',
          downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
        },
      ],
      containers: [
        container(['run'], {
          workingDir: '/work/here',
          volumeMounts: [
            { name: 'settings', mountPath: '/etc/app' },
            { name: 'secret', mountPath: '/../../../escape' },
            { name: 'scratch', mountPath: '/work' },
            { name: 'about', mountPath: '/about' },
          ],
        }),
      ],
    });
    const { env, folder } = world.processes.last.order;
    const root = env.PERIGEE_ROOT ?? '';
    const read = (path: string) => readFileSync(join(root, path), 'utf8');
    assert.equal(read('etc/app/sub/a'), 'x=1\n');
    assert.equal(read('escape/key'), 's3cret');
    assert.equal(read('about/name'), 'p');
    assert.equal(folder, join(root, 'work/here'));
    assert.ok(lstatSync(join(root, 'work')).isSymbolicLink());
    assert.equal(statSync(join(root, 'escape/key')).mode & 0o777, 0o600);
    assert.equal(statSync(join(root, 'escape')).mode & 0o777, 0o700);
    assert.equal(statSync(root).mode & 0o777, 0o700);
  });

  it('mounts folders of this machine only where the operator allows it', async () => {
    using allowed = new FakeProcesses();
    const inside = join(allowed.folder, 'data');
    mkdirSync(inside);
    const spec = (path: string): Spec => ({
      restartPolicy: 'Never',
      volumes: [{ name: 'host', hostPath: { path } }],
      containers: [container(['run'], { volumeMounts: [{ name: 'host', mountPath: '/host' }] })],
    });
    await using fine = await orderOf(spec(inside), [allowed.folder]);
    assert.deepEqual(fine.processes.lines, ['run']);
    for (const path of ['/etc', `${allowed.folder}/data/../..`, `${allowed.folder}-other/..`]) {
      await using world = await orderOf(spec(path), [inside]);
      assert.deepEqual(world.processes.lines, [], path);
    }
    await using none = await orderOf(spec(inside));
    assert.match(await stateOf(none.cluster.client), /^Failed, CreateContainerConfigError/);
  });
});
