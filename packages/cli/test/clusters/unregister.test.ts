import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { type Perigee, startPerigee } from '@perigee/host/start-perigee';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { perigee } from '../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-unregister-'));
let world: Perigee;

before(async () => {
  world = await startPerigee({
    data: folder,
    members: 3,
    nodes: 1,
    clock,
    logger: createLogger({ clock, level: 'error', write: () => {} }),
  });
});
after(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]) => perigee(args, { KUBECONFIG: world.kubeconfig });

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (let looks = 0; looks < 300; looks++) {
    if (await isSo()) return;
    await clock.sleep(100);
  }
  assert.fail('it did not come to that');
};

const place = async (
  kind: typeof ConfigMap | typeof Deployment,
  name: string,
  placement: object,
) => {
  const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/v1`;
  await world.client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name },
    spec: { resourceSelectors: [{ apiVersion, kind: kind.kind, name }], placement },
  } as never);
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 4, selector: { matchLabels: labels }, template };
  const metadata = { namespace: 'default', name };
  if (kind === Deployment) await world.client.create(Deployment, { metadata, spec });
  else await world.client.create(ConfigMap, { metadata });
};

/** Such as `member1 member2`. */
const clustersOf = async (binding: string): Promise<string> => {
  const { items } = await world.client.list(ResourceBinding, {
    namespace: 'default',
    fieldSelector: `metadata.name=${binding}`,
  });
  return (items[0]?.spec.clusters ?? []).map(({ name }) => name).join(' ');
};

const DIVIDED = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
  },
};
const only = (...clusterNames: readonly string[]) => ({ clusterAffinity: { clusterNames } });

describe('perigee unregister', () => {
  it('changes nothing when work fits nowhere else, and says which and why', async () => {
    await place(ConfigMap, 'pinned', only('member1'));
    await until(async () => (await clustersOf('pinned-configmap')) === 'member1');
    await until(async () => (await run('unregister', 'member1', '--dry-run')).code === 5);
    const { code, stdout, stderr } = await run('unregister', 'member1', '--wait');
    assert.deepEqual([code, stdout], [5, '']);
    assert.match(stderr, /cannot go anywhere else: ConfigMap default\/pinned \(NoClusterFit: 0\/2/);
    const { metadata } = await world.client.get(ClusterRecord, { name: 'member1' });
    assert.equal(metadata.deletionTimestamp, undefined);
    await world.client.delete(ConfigMap, { namespace: 'default', name: 'pinned' });
  });

  it('moves work before the cluster goes, and waits for it', async () => {
    await place(Deployment, 'web', DIVIDED);
    await until(async () => (await clustersOf('web-deployment')) === 'member1 member2 member3');
    await until(async () => (await run('unregister', 'member1', '--dry-run')).code === 0);
    const { code, stdout, stderr } = await run('unregister', 'member1', '--wait');
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^member1 is being unregistered .*1 piece of work has moved elsewhere\nmember1 is gone\n$/,
    );
    assert.equal(await clustersOf('web-deployment'), 'member2 member3');
    await assert.rejects(world.client.get(ClusterRecord, { name: 'member1' }), isNotFound);
  });

  it('ends by force what kubectl began, and names what kept the cluster', async () => {
    await place(ConfigMap, 'stuck', only('member2'));
    await until(async () => (await clustersOf('stuck-configmap')) === 'member2');
    await world.client.delete(ClusterRecord, { name: 'member2' });
    const told = async () => {
      const { status } = await world.client.get(ClusterRecord, { name: 'member2' });
      return findCondition(status?.conditions, 'ExecutionTarget')?.message ?? '';
    };
    await until(async () => /ConfigMap default\/stuck \(NoClusterFit/.test(await told()));
    const explained = await run('explain', 'cluster/member2');
    assert.match(explained.stdout, /^member2 is Terminating\.\n/);
    assert.match(explained.stdout, /\nDrained is False \(WorkStays\): .*default\/stuck/);
    const short = await run('unregister', 'member2', '--wait', '--timeout', '1s');
    assert.equal(short.code, 5);
    assert.match(short.stderr, /member2 is not gone yet: .*default\/stuck/);
    const { code, stdout, stderr } = await run('unregister', 'member2', '--force', '--wait');
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /by force .*it is virtual, and goes with everything.*\nmember2 is gone\n$/,
    );
    assert.equal(await clustersOf('stuck-configmap'), '');
  });
});
