import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { WrittenObject } from '@perigee/api/meta/resource-kind';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { parse, stringify } from 'yaml';
import { main, openStage, type Stage } from './command-line.ts';

let stage: Stage;

const addMap = (name: string, labels: object = {}, namespace = 'default') =>
  stage.server.client.create(ConfigMap, {
    metadata: { name, namespace, labels },
    data: { a: '1', b: '2' },
  } as WrittenObject);

before(async () => {
  stage = await openStage();
  const { client } = stage.server;
  await client.create(ClusterRecord, { metadata: { name: 'c1' }, spec: { cpuCapacity: 8 } });
  await addMap('red', { colour: 'red' });
  await addMap('blue', { colour: 'blue' });
  await addMap('hidden', {}, 'kube-system');
});
after(() => stage[Symbol.asyncDispose]());

const run = async (line: string) => stage.run(line.split(' '));

describe('perigee list', () => {
  it('knows a kind by any of its names, and shows the columns of the server', async () => {
    const [plural, short, kind] = await Promise.all(
      ['configmaps', 'cm', 'ConfigMap'].map((name) => run(`list ${name} --no-headers`)),
    );
    assert.match(plural?.stdout ?? '', /^blue +2 +\d+s\n(kube-root.*\n)?red +2 +\d+s\n$/);
    for (const other of [short, kind]) {
      assert.equal(other?.stdout.replaceAll(/\d+s/g, ''), plural?.stdout.replaceAll(/\d+s/g, ''));
    }
  });

  it('means the registered ones by clusters', async () => {
    const { stdout } = await run('list clusters');
    assert.match(stdout, /^NAME +REGION +AZ +CITY .*\nc1 /);
    const wide = await run('list clusters -o wide');
    assert.match(wide.stdout, /^NAME .* ADDRESS .* ID +AGE\n/);
    const { stdout: targets } = await run('list clusters.cluster.karmada.io -o json');
    assert.equal(JSON.parse(targets).kind, 'List');
  });

  it('quotes times, which older readers of YAML take for something else', async () => {
    const { stdout } = await run('get clusters c1 -o yaml');
    assert.match(stdout, /\n {2}creationTimestamp: "\d{4}-[^"]+Z"\n/);
  });

  it('means those of workloads to clusters by bindings', async () => {
    const { code, stderr } = await run('list bindings');
    assert.deepEqual(
      [code, stderr],
      [0, 'perigee: there are no resourcebindings in namespace default\n'],
    );
  });

  it('selects by namespace, label and field', async () => {
    assert.equal((await run('list cm -l colour=red -o name')).stdout, 'configmap/red\n');
    const field = await run('list cm --field-selector metadata.name=blue -o name');
    assert.equal(field.stdout, 'configmap/blue\n');
    assert.match((await run('list cm -n kube-system')).stdout, /\nhidden /);
    const all = await run('list cm -A');
    assert.match(all.stdout, /^NAMESPACE +NAME .*\n(.*\n)*kube-system +hidden /);
    const none = await run('list cm -l colour=green');
    assert.deepEqual(
      [none.code, none.stdout, none.stderr],
      [0, '', 'perigee: there are no configmaps in namespace default that match\n'],
    );
  });
});

describe('perigee get', () => {
  it('shows one, several, or all, as a table or whole', async () => {
    assert.match((await run('get cm/red')).stdout, /^NAME +DATA +AGE\nred +2/);
    assert.match((await run('get cm blue red --no-headers')).stdout, /^blue .*\nred .*\n$/);
    const object = JSON.parse((await run('get cm red -o json')).stdout);
    assert.deepEqual([object.kind, object.data], ['ConfigMap', { a: '1', b: '2' }]);
    assert.equal(object.metadata.managedFields, undefined);
    assert.match((await run('get cm red -o yaml')).stdout, /^apiVersion: v1\nkind: ConfigMap\n/);
    assert.equal((await run('get cm blue red -o name')).stdout, 'configmap/blue\nconfigmap/red\n');
  });

  it('shows what there is of several, and says what is missing', async () => {
    const { code, stdout, stderr } = await run('get cm red nope');
    assert.equal(code, 3);
    assert.match(stdout, /\nred /);
    assert.match(stderr, /^perigee: .*"nope" not found\n$/);
  });

  const wrong: readonly (readonly [string, number, RegExp])[] = [
    ['get', 2, /missing required argument 'kind'/],
    ['get confgmaps', 3, /did you mean configmaps/],
    ['get cluster -name a -id b', 2, /a name or an id, not both/],
    ['get cm -id b', 2, /only clusters have an id/],
    ['get cluster -id b', 2, /"b" is no cluster id: ids are UUIDs/],
    ['get cm -o tabel', 2, /Allowed choices are table, wide, name, json, yaml/],
    ['get cm a b -w', 2, /--watch follows one name/],
    ['get cm -l =', 2, /does not understand -l =: found '='/],
  ];
  for (const [line, exitCode, message] of wrong) {
    it(`says what is wrong with ${line}`, async () => {
      const { code, stdout, stderr } = await run(line);
      assert.deepEqual([code, stdout], [exitCode, '']);
      assert.match(stderr, message);
    });
  }

  it('prints what changes until it is stopped', async (t) => {
    const env = { ...process.env, KUBECONFIG: stage.kubeconfig };
    const args = [main, 'get', 'cm', '-l', 'watched=yes', '-w'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    await addMap('w1', { watched: 'yes' });
    let seen = '';
    const expected = [/^w1 +2 /m, /^w1 +3 /m, /^w1 +3 .*deleted$/m];
    const ref = { name: 'w1', namespace: 'default' };
    for await (const [chunk] of on(child.stdout, 'data')) {
      seen += chunk;
      if (expected[0]?.test(seen) !== true) continue;
      expected.shift();
      if (expected.length === 0) break;
      const { client } = stage.server;
      if (expected.length === 1) await client.delete(ConfigMap, ref);
      else await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { c: '3' } } });
    }
    assert.match(seen, /^NAME +DATA +AGE/);
  });
});

describe('perigee get --watch -o name', () => {
  it('prints each as often as it changes', async (t) => {
    const env = { ...process.env, KUBECONFIG: stage.kubeconfig };
    const args = [main, 'get', 'cm', 'red', '-w', '-o', 'name'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    let seen = '';
    const ref = { name: 'red', namespace: 'default' };
    for await (const [chunk] of on(child.stdout, 'data')) {
      seen += chunk;
      if (seen !== 'configmap/red\n') break;
      const patch = { type: 'merge', body: { data: { z: '1' } } } as const;
      await stage.server.client.patch(ConfigMap, ref, patch);
    }
    assert.equal(seen, 'configmap/red\nconfigmap/red\n');
  });
});

describe('who may not', () => {
  const as = (name: string, user: object): string => {
    const config = parse(readFileSync(stage.kubeconfig, 'utf8'));
    const changed = {
      ...config,
      users: config.users.map((entry: { user: object }) => ({
        ...entry,
        user: { ...entry.user, ...user },
      })),
    };
    const path = join(stage.folder, name);
    writeFileSync(path, stringify(changed), { mode: 0o600 });
    return path;
  };

  it('is told so, with the code 4', async () => {
    const forbidden = await run(`list clusters --kubeconfig ${as('guest', { as: 'guest' })}`);
    assert.deepEqual([forbidden.code, forbidden.stdout], [4, '']);
    assert.match(forbidden.stderr, /User "guest" cannot list .*; ask an administrator of/);
    const status = await run(`status --kubeconfig ${as('guest', { as: 'guest' })}`);
    assert.match(status.stdout, /^Clusters: you may not see this\n/);
    assert.match(
      status.stdout,
      /^Work: you may not see this in all namespaces: name one of yours by -n$/m,
    );
    assert.match(
      status.stdout,
      /^Data, .*: nothing that you may see is amiss; .* DataSourceClaim/m,
    );
    const top = await run(`top --kubeconfig ${as('guest', { as: 'guest' })}`);
    assert.deepEqual([top.code, top.stderr], [0, '']);
    assert.match(top.stdout, /^HELD WORK you may not see this in all namespaces/m);
    for (const part of ['CLUSTERS', 'QUEUES', 'DATA', 'FLOWS', 'MOVED LATELY']) {
      assert.match(top.stdout, new RegExp(`^${part} you may not see this$`, 'm'));
    }
    const nobody = { token: 'wrong', 'client-certificate-data': '', 'client-key-data': '' };
    const unknown = await run(`list clusters --kubeconfig ${as('unknown', nobody)}`);
    assert.equal(unknown.code, 4);
    assert.match(unknown.stderr, /does not accept the credentials/);
  });
});
