import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Work } from '@perigee/api/kinds/placement/work';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { openStage, type Stage } from '../command-line.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});
after(() => stage[Symbol.asyncDispose]());

const file = (name: string, content: string): string => {
  const path = join(stage.folder, name);
  writeFileSync(path, content);
  return path;
};

const cluster = (name: string, spec = 'cpuCapacity: 8'): string =>
  `apiVersion: globalscheduler.com/v1\nkind: Cluster\nmetadata: { name: ${name} }\nspec: { ${spec} }\n`;

const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const names = async (): Promise<readonly string[]> =>
  (await stage.server.client.list(ClusterRecord)).items.map(({ metadata }) => metadata.name);

/** Runs a command line as the seed writes it, without the program's name. */
const seedLine = (line: string) => stage.run(line.split(' '));

describe('the lines of the Cluster design', () => {
  it('register, list, get and unregister a cluster', async () => {
    const path = file('cluster1.yaml', cluster('cluster1', 'GeoLocation: { city: Bellevue }'));
    const registered = await seedLine(`register -filename ${path}`);
    assert.deepEqual([registered.code, registered.stderr], [0, '']);
    const [id = ''] = ID.exec(registered.stdout) ?? [];
    assert.match(registered.stdout, /^cluster1 registered \(id .*\)\n$/);
    const again = await seedLine(`register cluster -filename ${path}`);
    assert.match(again.stdout, /^cluster1 is registered already/);
    const listed = await seedLine('list clusters');
    assert.match(listed.stdout, /^NAME +REGION.*\ncluster1 +Bellevue/);
    const byName = await seedLine('get cluster -name cluster1');
    const byId = await seedLine(`get cluster -id ${id}`);
    assert.match(byId.stdout, /^NAME.*\ncluster1 .*\n$/);
    assert.equal(byId.stdout.split('\n')[0], byName.stdout.split('\n')[0]);
    const removed = await seedLine('unregister -name cluster1');
    assert.equal(removed.stdout, `cluster1 unregistered (id ${id})\n`);
    await seedLine(`register -filename ${path}`);
    const { stdout } = await seedLine('get cluster -name=cluster1 -o=json');
    const { uid } = JSON.parse(stdout).metadata;
    assert.equal((await seedLine(`unregister cluster -id ${uid}`)).code, 0);
    assert.deepEqual(await names(), []);
  });
});

describe('perigee register', () => {
  it('keeps whole numbers of 64 bits, and shows them', async () => {
    const path = file('huge.yaml', cluster('huge', 'CPUCapacity: 9007199254740993'));
    const { code, stdout, stderr } = await stage.run(['register', '-f', path, '-o', 'yaml']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /cpuCapacity: 9007199254740993\n/);
    for (const format of ['json', 'wide']) {
      const shown = await stage.run(['get', 'cluster', 'huge', '-o', format]);
      assert.match(shown.stdout, /\b9007199254740993\b/, format);
    }
    assert.match((await stage.run(['register', '-f', path])).stdout, /is registered already/);
    await stage.server.client.delete(ClusterRecord, { name: 'huge' });
  });

  it('takes files, folders and the standard input, in every shape', async () => {
    const folder = join(stage.folder, 'clusters');
    mkdirSync(folder);
    file('clusters/a.yaml', `${cluster('a1')}---\n${cluster('a2')}`);
    file('clusters/b.json', '{"cluster_profile":{"cluster_name":"b1","cluster_spec":{}}}');
    file('clusters/notes.txt', 'no cluster');
    const design = file('design.yml', 'apiversion: v1\nkind: Cluster\nName: c1\nSpec: {}\n');
    const input = `kind: List\napiVersion: v1\nitems:\n- kind: Cluster\n  metadata: { name: d1 }\n  spec: {}\n`;
    const args = ['register', '-f', folder, '--filename', design, '-f', '-', '-o', 'name'];
    const { code, stdout, stderr } = await stage.run(args, { input });
    assert.deepEqual([code, stderr], [0, '']);
    const registered = ['a1', 'a2', 'b1', 'c1', 'd1'];
    assert.equal(
      stdout,
      registered.map((name) => `cluster.globalscheduler.com/${name}\n`).join(''),
    );
    const removed = await stage.run(['unregister', 'cluster', ...registered]);
    assert.equal(removed.code, 0);
  });

  it('registers nothing when one of the documents is wrong, and says where and what', async () => {
    const path = file('bad.yaml', `${cluster('good')}---\n${cluster('bad', 'cpuCapacity: lots')}`);
    const { code, stdout, stderr } = await stage.run(['register', '-f', path]);
    assert.deepEqual([code, stdout], [6, '']);
    assert.match(stderr, /bad\.yaml, document 2 is not a valid cluster:\n {2}spec\.cpuCapacity: /);
    assert.deepEqual(await names(), []);
  });

  it('warns of fields that it does not know', async () => {
    const path = file('odd.yaml', cluster('odd', 'color: red'));
    const { code, stdout, stderr } = await stage.run(['register', '-f', path, '--dry-run']);
    assert.deepEqual([code, stdout], [0, 'odd could be registered\n']);
    assert.match(stderr, /warning: .*odd\.yaml: unknown field "spec\.color"/);
    assert.deepEqual(await names(), []);
  });

  const wrong: readonly (readonly [string, string, number, RegExp])[] = [
    ['broken.yaml', 'a: [', 6, /broken\.yaml is neither YAML nor JSON \(line 1, column 5: /],
    ['empty.yaml', '# nothing\n', 6, /empty\.yaml is empty/],
    ['other.yaml', 'apiVersion: apps/v1\nkind: Deployment\n', 6, /describes a Deployment of apps/],
    ['bare.yaml', '- 5', 6, /item 1 does not describe a cluster/],
    ['nameless.yaml', 'kind: Cluster\nspec: {}\n', 6, /metadata\.name: Required value/],
  ];
  for (const [name, content, exitCode, message] of wrong) {
    it(`says what is wrong with ${name}`, async () => {
      const { code, stderr } = await stage.run(['register', '-f', file(name, content)]);
      assert.equal(code, exitCode);
      assert.match(stderr, message);
    });
  }

  it('says that a file is missing, and that a name is taken', async () => {
    const missing = await stage.run(['register', '-f', '/nonexistent.yaml']);
    assert.deepEqual([missing.code, missing.stdout], [3, '']);
    assert.match(missing.stderr, /there is no file or folder \/nonexistent\.yaml/);
    await stage.run(['register', '-f', file('taken.yaml', cluster('taken'))]);
    const other = await stage.run([
      'register',
      '-f',
      file('other.yaml', cluster('taken', 'cpuCapacity: 9')),
    ]);
    assert.equal(other.code, 5);
    assert.match(other.stderr, /the name taken is taken.* \(--update\)\n$/);
    const args = ['register', '-f', join(stage.folder, 'other.yaml'), '--update'];
    const dry = await stage.run([...args, '--dry-run']);
    assert.match(dry.stdout, /^taken could be updated \(id /);
    const updated = await stage.run(args);
    assert.deepEqual([updated.code, updated.stderr], [0, '']);
    assert.match(updated.stdout, /^taken updated \(id /);
    const { spec } = await stage.server.client.get(ClusterRecord, { name: 'taken' });
    assert.equal(spec.cpuCapacity, 9);
    assert.match((await stage.run(args)).stdout, /^taken is registered already/);
    await stage.run(['unregister', 'taken']);
  });
});

describe('perigee unregister', () => {
  it('needs to know which, and does what it can of several', async () => {
    const none = await stage.run(['unregister']);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /say which cluster, with -name or -id/);
    await stage.run(['register', '-f', file('there.yaml', cluster('there'))]);
    const dry = await stage.run(['unregister', 'there', '--dry-run']);
    assert.match(dry.stdout, /^there could be unregistered/);
    const { code, stdout, stderr } = await stage.run(['unregister', 'cluster', 'nope', 'there']);
    assert.equal(code, 3);
    assert.match(stdout, /^there unregistered/);
    assert.equal(stderr, 'perigee: there is no cluster named "nope"\n');
  });

  it('says what a cluster waits for that does not go at once', async () => {
    const finalizers = ['globalscheduler.com/execution-target', 'example.com/books'];
    const { client } = stage.server;
    const held = await client.create(ClusterRecord, {
      metadata: { name: 'held', finalizers },
      spec: {},
    });
    const { code, stdout } = await stage.run(['unregister', 'held']);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `held is being unregistered (id ${held.metadata.uid}): it goes when all work has left it, and example.com/books has cleaned up\n`,
    );
  });

  it('keeps a cluster to which work is bound, unless it is forced', async () => {
    await stage.run(['register', '-f', file('busy.yaml', cluster('busy'))]);
    const { client } = stage.server;
    const namespace = executionNamespace('busy');
    await client.create(Namespace, { metadata: { name: namespace } });
    const labels = { 'resourcebinding.karmada.io/permanent-id': 'x' };
    const workload = { manifests: [] };
    await client.create(Work, { metadata: { name: 'w', namespace, labels }, spec: { workload } });
    const kept = await stage.run(['unregister', 'cluster', '-name', 'busy']);
    assert.deepEqual([kept.code, kept.stdout], [5, '']);
    assert.match(
      kept.stderr,
      /work on the cluster busy cannot go anywhere else: Work karmada-es-busy\/w .* by force \(--force\)\n$/,
    );
    const forced = await stage.run(['unregister', 'cluster', '-name', 'busy', '--force']);
    assert.match(forced.stdout, /^busy unregistered/);
  });
});
