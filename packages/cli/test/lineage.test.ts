import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { parse } from 'yaml';
import { openStage, perigeeAs, type Result, type Stage } from './command-line.ts';

const namespace = 'default';
let stage: Stage;
const run = (line: string): Promise<Result> => stage.run(line.split(' '));

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

const owned = (name: string, owner: Owner | undefined) => ({
  namespace,
  name,
  ...(owner && { ownerReferences: [{ ...owner, controller: true }] }),
});

const labels = { app: 'web' };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const sizes = { replicas: 0, selector: { matchLabels: labels }, template };

const addPod = (name: string, owner: Owner | undefined, schedulerName = 'volcano') =>
  stage.server.client.create(Pod, {
    metadata: owned(name, owner),
    spec: { ...template.spec, schedulerName },
  } as never);

before(async () => {
  stage = await openStage();
  const { client } = stage.server;
  const deployment = await client.create(Deployment, {
    metadata: { namespace, name: 'web' },
    spec: sizes,
  } as never);
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const set = await client.create(ReplicaSet, {
    metadata: owned('web-1', { ...web, uid: deployment.metadata.uid }),
    spec: sizes,
  } as never);
  const one = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: set.metadata.uid };
  await addPod('p', one);
  await addPod('alone', undefined, 'default-scheduler');
  await addPod('orphan', { apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: 'gone' });
});
after(() => stage[Symbol.asyncDispose]());

const file = (name: string, text: string): string => {
  const path = join(stage.folder, name);
  writeFileSync(path, text);
  return path;
};

const SETS =
  'podgroup-level-rules:\n- apiversion: apps/v1\n  kind: replicaset\n  adjust-level: 0\n';

describe('perigee lineage', () => {
  it('draws the owners, and says which has the group and why', async () => {
    const { code, stdout, stderr } = await run('lineage pod/p');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Pod p\n└ ReplicaSet web-1\n {2}└ Deployment web {3}← has the group\n/);
    assert.match(stdout, /\nbecause {2}rule apps\/v1 Deployment, level 0\n/i);
    assert.match(stdout, /\nrules {4}the defaults: there is no ConfigMap volcano-system\//);
    assert.match(stdout, /\ngroup {4}podgroup-\S+: the pod is not in it yet\n$/);
  });

  it('tells programs the same', async () => {
    const [json, yaml] = await Promise.all([
      run('lineage pod/p -o json'),
      run('lineage po/p -o yaml'),
    ]);
    const told = JSON.parse(json.stdout);
    assert.deepEqual(parse(yaml.stdout), told);
    assert.deepEqual(told.pod, { namespace, name: 'p' });
    assert.deepEqual(
      told.owners.map(({ kind, name }: Owner) => `${kind} ${name}`),
      ['ReplicaSet web-1', 'Deployment web'],
    );
    assert.deepEqual([told.end, told.owner.kind, told.in], ['root', 'Deployment', undefined]);
  });

  it('decides by other rules, from their text or from the ConfigMap', async () => {
    const map = { data: { 'volcano-controller.conf': SETS } };
    const paths = [file('rules.conf', SETS), file('map.yaml', JSON.stringify(map))];
    for (const path of paths) {
      const { stdout } = await run(`lineage pod/p --rules ${path}`);
      assert.match(stdout, /└ ReplicaSet web-1 {3}← has the group\n/);
      assert.match(stdout, /\nrules {4}\S+, which is not in force\n/);
    }
  });

  it('says where the rules in a file are wrong', async () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['level', SETS.replace('0', 'high'), /wrong-level: line 4: .*adjust-level/],
      ['yaml', 'a: [', /wrong-yaml: yaml: line 1/],
      [
        'map',
        JSON.stringify({ data: { 'volcano-controller.conf': '7' } }),
        /: volcano-controller\.conf: /,
      ],
      ['long', `#${'x'.repeat(300_000)}`, /longer than 262144 characters/],
    ];
    for (const [name, text, message] of cases) {
      const path = file(`wrong-${name}`, text);
      const { code, stdout, stderr } = await run(`lineage pod/p --rules ${path}`);
      assert.deepEqual([code, stdout], [6, ''], stderr);
      assert.match(stderr, message);
      assert.ok(stderr.includes(path), stderr);
    }
    const missing = await run('lineage pod/p --rules /nonexistent');
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /--rules \/nonexistent cannot be read \(ENOENT/);
  });

  it('says of wrong rules in force that earlier ones may count', async () => {
    const { client } = stage.server;
    const metadata = { namespace: 'volcano-system', name: 'volcano-controller-configmap' };
    await client.create(Namespace, { metadata: { name: metadata.namespace } });
    const put = (conf: string) => {
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        data: { 'volcano-controller.conf': conf },
      };
      const patch = { type: 'apply', body, fieldManager: 'test', force: true } as const;
      return client.patch(ConfigMap, metadata, patch as never);
    };
    await put('podgroup-level-rules: 7');
    const wrong = await run('lineage pod/p');
    assert.match(
      wrong.stdout,
      /\nrules {4}the defaults: .* is wrong, and earlier rules may be in force: /,
    );
    await put(SETS);
    const right = await run('lineage pod/p');
    assert.match(right.stdout, /ReplicaSet web-1 {3}← has the group\n/);
    assert.match(
      right.stdout,
      /\nrules {4}ConfigMap volcano-system\/volcano-controller-configmap\n/,
    );
    await client.delete(ConfigMap, metadata);
  });

  it('says where the chain of owners ends', async () => {
    const [alone, orphan] = await Promise.all([
      run('lineage pod/alone'),
      run('lineage pod/orphan'),
    ]);
    assert.match(alone.stdout, /^Pod alone {3}← has the group\n\nbecause {2}it has no owner/);
    assert.match(alone.stdout, /its scheduler is "default-scheduler": see perigee podgroups/);
    assert.match(orphan.stdout, /· Thing t is of a kind that the server does not serve\n/);
  });

  it('groups a pod anew whose group is gone, as the controller does, and leaves one that a user named', async () => {
    const gone = 'podgroup-183a5495-aa36-4eff-a58f-4f9ba0215422';
    for (const [name, group, reason] of [
      ['left', gone, 'it has no owner that could have the group'],
      ['named', 'mine', 'the pod names its group itself, so no rule counts'],
      ['misnamed', '..', 'the pod names its group itself, so no rule counts'],
    ] as const) {
      const pod = await stage.server.client.create(Pod, {
        metadata: { namespace, name, annotations: { 'scheduling.k8s.io/group-name': group } },
        spec: { ...template.spec, schedulerName: 'volcano' },
      } as never);
      const { stdout, stderr } = await run(`lineage pod/${name} -o json`);
      const told = JSON.parse(stdout || stderr);
      assert.deepEqual([told.in, told.because], [group, reason]);
      assert.equal(told.group, group === gone ? `podgroup-${pod.metadata.uid}` : group);
    }
  });

  it('ends with the code of what is wrong', async () => {
    const [none, other, forbidden] = await Promise.all([
      run('lineage pod/nope'),
      run('lineage deployment/web'),
      perigeeAs('guest', stage.kubeconfig, ['lineage', 'pod/p']),
    ]);
    assert.deepEqual([none.code, other.code, forbidden.code], [3, 2, 4]);
    assert.match(other.stderr, /deployment\/web is no pod: write pod\/<name>/);
  });
});
