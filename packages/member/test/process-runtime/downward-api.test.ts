import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Pod, type PodSpec } from '@perigee/kubernetes/core/pod';
import { RUNTIME } from '../../src/process-runtime/runtime-of.ts';
import { startCluster } from '../member-fixture.ts';
import { FakeProcesses } from './fake-processes.ts';
import { container, createPod, REF, type Spec } from './process-pods.ts';

const start = async () => {
  const stack = new AsyncDisposableStack();
  const processes = stack.use(new FakeProcesses());
  const cluster = stack.use(await startCluster({ processes: processes.options }));
  return { cluster, processes, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

const telling = (fields: { readonly [name: string]: string }): Spec => {
  const items = Object.entries(fields);
  const variables = items.map(([name, fieldPath]) => ({
    name,
    valueFrom: { fieldRef: { fieldPath } },
  }));
  const files = items.map(([path, fieldPath]) => ({ path, fieldRef: { fieldPath } }));
  return {
    restartPolicy: 'Never',
    volumes: [{ name: 'about', downwardAPI: { items: files } }],
    containers: [
      container(['run'], {
        env: variables,
        volumeMounts: [{ name: 'about', mountPath: '/about' }],
      }),
    ],
  };
};

/** The variables and the files of a process. */
const reportedTo = ({ processes }: Awaited<ReturnType<typeof start>>, names: readonly string[]) => {
  const { env } = processes.last.order;
  const read = (name: string) => readFileSync(join(env.PERIGEE_ROOT ?? '', 'about', name), 'utf8');
  return {
    variables: names.map((name) => env[name]),
    files: names.map(read),
  };
};

describe('what a pod says of itself', () => {
  it('is told in variables and in files alike', async () => {
    await using world = await start();
    const { client } = world.cluster;
    const both = {
      NAME: 'metadata.name',
      NAMESPACE: 'metadata.namespace',
      UID: 'metadata.uid',
      ONE_LABEL: "metadata.labels['app']",
      ONE_NOTE: "metadata.annotations['example.com/note']",
    };
    const spec = telling(both);
    const onlyVariables = {
      NODE: 'spec.nodeName',
      ACCOUNT: 'spec.serviceAccountName',
      HOST: 'status.hostIP',
      HOSTS: 'status.hostIPs',
      POD: 'status.podIP',
      PODS: 'status.podIPs',
    };
    const [main] = spec.containers;
    const more = Object.entries(onlyVariables).map(([name, fieldPath]) => ({
      name,
      valueFrom: { fieldRef: { fieldPath } },
    }));
    const all = { LABELS: 'metadata.labels', NOTES: 'metadata.annotations' };
    const files = Object.entries({ ...both, ...all }).map(([path, fieldPath]) => ({
      path,
      fieldRef: { fieldPath },
    }));
    await client.create(Pod, {
      metadata: {
        ...REF,
        labels: { app: 'shop', tier: 'gold' },
        annotations: { [RUNTIME]: 'process', 'example.com/note': 'one "line"\nand another' },
      },
      spec: {
        ...spec,
        volumes: [{ name: 'about', downwardAPI: { items: files } }],
        containers: [{ ...main, env: [...(main?.env ?? []), ...more] }],
      } as unknown as PodSpec,
    });
    await world.cluster.clock.advance(1000);
    const { metadata, spec: started } = await client.get(Pod, REF);
    const expected = ['p', 'default', metadata.uid, 'shop', 'one "line"\nand another'];
    const told = reportedTo(world, Object.keys(both));
    assert.deepEqual(told, { variables: expected, files: expected });
    const { env } = world.processes.last.order;
    const { NODE, ACCOUNT, HOST, HOSTS, POD, PODS } = env;
    assert.deepEqual(
      [NODE, ACCOUNT, POD, PODS],
      [started.nodeName, 'default', '127.0.0.1', '127.0.0.1'],
    );
    assert.match(`${HOST} ${HOSTS}`, /^([\d.]+) \1$/);
    const [labels = '', notes = ''] = ['LABELS', 'NOTES'].map((name) =>
      readFileSync(join(env.PERIGEE_ROOT ?? '', 'about', name), 'utf8'),
    );
    assert.equal(labels, 'app="shop"\ntier="gold"');
    assert.match(notes, /^example\.com\/note="one \\"line\\"\\nand another"\n/);
  });

  it('is empty for a label that it does not have, whatever its name means to JavaScript', async () => {
    await using world = await start();
    const names = ['none', 'constructor', 'toString', '__proto__'];
    const fields = Object.fromEntries(
      names.map((name, at) => [`F${at}`, `metadata.labels['${name}']`]),
    );
    await createPod(world.cluster.client, telling(fields));
    await world.cluster.clock.advance(1000);
    const told = reportedTo(world, Object.keys(fields));
    const nothing = names.map(() => '');
    assert.deepEqual(told, { variables: nothing, files: nothing });
    assert.deepEqual(world.cluster.problems, []);
  });
});
