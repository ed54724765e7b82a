import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { findCondition } from '@perigee/api/values/conditions';
import { type Perigee, startPerigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { createLogger } from '@perigee/kube/observe/logger';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { JsonObject } from '@perigee/schema/json';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { ClusterRole } from '../../src/clusters/join/access-kinds.ts';
import { main, perigee } from '../command-line.ts';

type Loose = KubeObject & JsonObject;
const folder = mkdtempSync(join(tmpdir(), 'perigee-join-'));
let plane: Perigee;
let far: Perigee;
let member: Client;

const up = (name: string, members: number) =>
  startPerigee({
    data: join(folder, name),
    members,
    nodes: 2,
    clock,
    logger: createLogger({ clock, level: 'error', write: () => {} }),
  });

before(async () => {
  plane = await up('plane', 1);
  // A second control plane, used only for its member: a cluster with authentication of its own.
  far = await up('far', 1);
  member = far.server.cluster('member1')?.client as Client;
});
after(async () => {
  await plane[Symbol.asyncDispose]();
  await far[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]) => perigee(args, { KUBECONFIG: plane.kubeconfig });
const byKubeconfig = () => ['--cluster-kubeconfig', far.kubeconfig, '--cluster-context', 'member1'];

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (let looks = 0; looks < 200; looks++) {
    if (await isSo()) return;
    await clock.sleep(100);
  }
  assert.fail('it did not come to that');
};

const isGone = async (answer: Promise<unknown>): Promise<boolean> => {
  try {
    await answer;
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
};

const SECRET = { namespace: 'karmada-cluster', name: 'edge' };

/** A kubeconfig with an exec credential plugin, as cloud providers use. */
const withPlugin = (): string => {
  const config = parse(readFileSync(far.kubeconfig, 'utf8'));
  const { user: name } = config.contexts.find(
    (one: { name: string }) => one.name === 'member1',
  ).context;
  const entry = config.users.find((one: { name: string }) => one.name === name);
  const text = (key: string) => Buffer.from(entry.user[key], 'base64').toString();
  const status = {
    clientCertificateData: text('client-certificate-data'),
    clientKeyData: text('client-key-data'),
  };
  const apiVersion = 'client.authentication.k8s.io/v1';
  const issued = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
  const args = ['-e', `process.stdout.write(${JSON.stringify(issued)})`];
  const exec = { apiVersion, command: process.execPath, args, interactiveMode: 'Never' };
  entry.user = { exec };
  config['current-context'] = 'member1';
  const path = join(folder, 'plugin.yaml');
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
};

describe('perigee join', () => {
  it('changes nothing in a dry run, and says what it found', async () => {
    const { code, stdout, stderr } = await run('join', 'edge', ...byKubeconfig(), '--dry-run');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^edge could be joined: 2 nodes, \d+ cores, \d+ GiB; .*eu-west/);
    assert.ok(await isGone(plane.client.get(ClusterRecord, { name: 'edge' })));
    assert.ok(await isGone(member.get(ClusterRole, { name: 'perigee:edge' })));
  });

  it('makes access and a record, by the credentials of a plugin, and waits until it is ready', async () => {
    const joined = await run('join', 'edge', '--cluster-kubeconfig', withPlugin());
    assert.equal(joined.code, 0, joined.stderr);
    assert.equal(joined.stdout, 'edge joined and ready\n');
    const { metadata, spec, status } = await plane.client.get(ClusterRecord, { name: 'edge' });
    const { uid } = (await member.get(Namespace, { name: 'kube-system' })).metadata;
    assert.equal(metadata.annotations?.['globalscheduler.com/cluster-uid'], uid);
    assert.deepEqual(spec.secretRef, SECRET);
    assert.equal(spec.region?.region, 'eu-west');
    assert.ok((spec.cpuCapacity ?? 0) > 0);
    assert.equal(status?.phase, 'Ready');
    const role = await member.get(ClusterRole, { name: 'perigee:edge' });
    assert.doesNotMatch(JSON.stringify(role.rules), /impersonate|escalate|bind|"verbs":\["\*"\]/);
    const { data } = await plane.client.get(Secret, SECRET);
    const kubeconfig = Buffer.from(data?.kubeconfig ?? '', 'base64').toString();
    assert.doesNotMatch(kubeconfig, /exec|client-key/, 'no credentials of who joined it');
  });

  it('has the rights to bring work there', async () => {
    await plane.client.create(PropagationPolicy, {
      metadata: { namespace: 'default', name: 'edge' },
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' }],
        placement: { clusterAffinity: { clusterNames: ['edge', 'member1'] } },
      },
    });
    const ref = { namespace: 'default', name: 'settings' };
    await plane.client.create(ConfigMap, { metadata: ref } as unknown as Loose);
    await until(async () => !(await isGone(member.get(ConfigMap, ref))));
  });

  it('mends what is missing when it is done again', async () => {
    await member.delete(ClusterRole, { name: 'perigee:edge' });
    await plane.client.delete(Secret, SECRET);
    await until(() => isGone(member.get(Namespace, { name: 'perigee-edge' })));
    const again = await run('join', 'edge', ...byKubeconfig(), '-o', 'name');
    assert.equal(again.code, 0, again.stderr);
    assert.equal(again.stdout, 'cluster.globalscheduler.com/edge\n');
    assert.ok(await plane.client.get(Secret, SECRET));
  });

  it('refuses the same cluster under another name, and what it cannot reach', async () => {
    const twice = await run('join', 'edge2', ...byKubeconfig());
    assert.deepEqual([twice.code, twice.stdout], [5, '']);
    assert.match(twice.stderr, /the same cluster is registered as edge:/);
    assert.ok(await isGone(member.get(ClusterRole, { name: 'perigee:edge2' })));
    const taken = await run('join', 'edge', '--cluster-kubeconfig', plane.kubeconfig);
    assert.equal(taken.code, 5);
    assert.match(taken.stderr, /the name edge is taken by another cluster/);
    assert.equal((await run('join', 'edge')).code, 2);
    assert.equal((await run('join', 'x', '--cluster-kubeconfig', '/nonexistent')).code, 1);
  });
});

describe('perigee unjoin', () => {
  it('moves the work, and leaves nothing behind on either side', async () => {
    const dry = await run('unjoin', 'edge', '--dry-run');
    assert.deepEqual([dry.code, dry.stderr], [0, '']);
    const { code, stdout, stderr } = await run('unjoin', 'edge', '--wait', '--timeout', '60s');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /edge is gone\nedge unjoined\n$/);
    assert.ok(await isGone(plane.client.get(ClusterRecord, { name: 'edge' })));
    assert.ok(await isGone(plane.client.get(Secret, SECRET)));
    assert.ok(await isGone(member.get(ClusterRole, { name: 'perigee:edge' })));
    assert.ok(await isGone(member.get(ConfigMap, { namespace: 'default', name: 'settings' })));
    await until(() => isGone(member.get(Namespace, { name: 'perigee-edge' })));
    assert.equal((await run('unjoin', 'edge')).code, 3);
  });
});

describe('perigee join --pull', () => {
  it('prints an agent that may see its own cluster only', async () => {
    const url = 'https://plane.example:6443';
    const pulled = await run('join', 'pulled', '--pull', '--control-plane-url', url);
    assert.deepEqual([pulled.code, pulled.stderr], [0, '']);
    const objects = parseAllDocuments(pulled.stdout).map((one) => one.toJS());
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['ClusterRole', 'Namespace', 'ServiceAccount', 'ClusterRoleBinding', 'Secret', 'Deployment'],
    );
    const kubeconfig = JSON.parse(objects[4].stringData.kubeconfig);
    assert.equal(kubeconfig.clusters[0].cluster.server, url);
    kubeconfig.clusters[0].cluster.server = plane.server.url;
    const path = join(folder, 'agent.json');
    writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
    const asAgent = (...args: readonly string[]) => perigee(args, { KUBECONFIG: path });
    const own = await asAgent('get', 'clusters.cluster.karmada.io', 'pulled', '-o', 'name');
    assert.equal(own.code, 0, own.stderr);
    const other = await asAgent('get', 'clusters.cluster.karmada.io', 'member1');
    assert.equal(other.code, 4);
    assert.equal((await asAgent('list', 'works', '-n', 'karmada-es-pulled')).code, 0);
    assert.equal((await asAgent('list', 'works', '-n', 'karmada-es-member1')).code, 4);
    assert.equal((await asAgent('list', 'secrets', '-n', 'karmada-cluster')).code, 4);
    const { spec } = await plane.client.get(MemberCluster, { name: 'pulled' });
    assert.equal(spec.syncMode, 'Pull');
  });

  it('gives the agent what it needs to serve its cluster', async (t) => {
    const member = ['--member-kubeconfig', far.kubeconfig, '--member-context', 'member1'];
    const args = ['agent', '--cluster', 'pulled', ...member];
    const env = { ...process.env, KUBECONFIG: join(folder, 'agent.json') };
    const agent = spawn(process.execPath, [main, ...args], { env, stdio: 'pipe' });
    t.after(() => agent.kill());
    let said = '';
    agent.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const { client } = plane;
    await until(async () => {
      const { status } = await client.get(MemberCluster, { name: 'pulled' });
      return findCondition(status?.conditions, 'Ready')?.status === 'True';
    });
    const placement = { clusterAffinity: { clusterNames: ['pulled'] } };
    const resourceSelectors = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'fetched' }];
    const ref = { namespace: 'default', name: 'fetched' };
    await client.create(PropagationPolicy, {
      metadata: ref,
      spec: { resourceSelectors, placement },
    });
    await client.create(ConfigMap, { metadata: ref } as unknown as Loose);
    await until(async () => {
      const fieldSelector = 'metadata.name=fetched-configmap';
      const { items } = await client.list(ResourceBinding, { namespace: 'default', fieldSelector });
      return items[0]?.status?.aggregatedStatus?.[0]?.health === 'Healthy';
    });
    const room = { namespace: 'karmada-es-pulled', name: 'pulled' };
    await until(async () => (await client.get(ClusterRoom, room)).spec.nodes > 0);
    assert.doesNotMatch(said, /forbidden/i);
  });
});

describe('a cluster that is lost', () => {
  it('is unjoined by force', async () => {
    const joined = await run('join', 'lost', ...byKubeconfig());
    assert.equal(joined.code, 0, joined.stderr);
    const pinned = { namespace: 'default', name: 'pinned' };
    await plane.client.create(PropagationPolicy, {
      metadata: pinned,
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'pinned' }],
        placement: { clusterAffinity: { clusterNames: ['lost'] } },
      },
    });
    await plane.client.create(ConfigMap, { metadata: pinned } as unknown as Loose);
    await until(async () => !(await isGone(member.get(ConfigMap, pinned))));
    await far[Symbol.asyncDispose]();
    const kept = await run('unjoin', 'lost');
    assert.deepEqual([kept.code, kept.stdout], [5, '']);
    assert.match(
      kept.stderr,
      /cannot go anywhere else: ConfigMap default\/pinned \(NoClusterFit: /,
    );
    const { code, stdout, stderr } = await run('unjoin', 'lost', '--force', '--timeout', '60s');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /what runs there goes on.*\nlost is gone\nlost unjoined\n$/);
    assert.match(stderr, /lost does not answer, so the access that joining made in it stays/);
    assert.ok(await isGone(plane.client.get(Secret, { ...SECRET, name: 'lost' })));
  });
});
