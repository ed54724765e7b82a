import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { findCondition } from '@perigee/api/values/conditions';
import { startPerigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Node } from '@perigee/kubernetes/core/node';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { JsonObject } from '@perigee/schema/json';
import { parseAllDocuments } from 'yaml';

type Loose = KubeObject & JsonObject;
const KINDS: { readonly [kind: string]: ResourceKind } = {
  Cluster: ClusterRecord,
  Namespace,
  Secret,
};
const PATIENCE_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'perigee-inventory-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const up = () =>
  startPerigee({
    data: folder,
    members: 1,
    nodes: 1,
    clock,
    logger: createLogger({ clock, level: 'error' }),
  });

const applyExample = async (client: Client, name: string): Promise<void> => {
  const file = new URL(`../../../../examples/${name}`, import.meta.url);
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const body = document.toJS() as Loose;
    const patch = { type: 'apply', body, fieldManager: 'test' } as const;
    await client.patch(KINDS[body.kind] as ResourceKind, body.metadata, patch);
  }
};

/** Waits until an object, or its absence, passes the check. */
const until = async <K extends ResourceKind>(
  client: Client,
  kind: K,
  name: string,
  isReached: (object: StoredObjectOf<K> | undefined) => boolean,
): Promise<StoredObjectOf<K> | undefined> => {
  using deadline = deadlineAfter(clock, PATIENCE_MS);
  const { signal } = deadline;
  const namespace = kind.scope === 'Namespaced' ? { namespace: 'default' } : {};
  const options = { ...namespace, sendInitialEvents: true, signal };
  for await (const event of client.watch(kind, options)) {
    if (event.type === 'BOOKMARK') continue;
    if ((event.object as KubeObject).metadata.name !== name) continue;
    const object = event.type === 'DELETED' ? undefined : event.object;
    if (isReached(object)) return object;
  }
  throw new Error(`the watch of ${kind.plural} ended`);
};

const readyOf = (record: ClusterRecord | undefined) =>
  findCondition(record?.status?.conditions, 'Ready');

const untilPhase = (client: Client, name: string, phase: string) =>
  until(client, ClusterRecord, name, (record) => record?.status?.phase === phase);

test('the members of perigee up are records of the inventory', async () => {
  await using perigee = await up();
  const record = await untilPhase(perigee.client, 'member1', 'Ready');
  assert.equal(record?.spec.type, 'virtual');
  assert.equal(record?.spec.geoLocation?.city, 'Dublin');
  const target = await perigee.client.get(MemberCluster, { name: 'member1' });
  assert.equal(target.metadata.labels?.['globalscheduler.com/city'], 'Dublin');
  assert.equal(target.metadata.labels?.geo, 'europe');
});

test('a virtual member comes with its record, takes work by its city, outlives a restart, and goes', async () => {
  {
    await using perigee = await up();
    const { client, server } = perigee;
    await applyExample(client, 'cluster-virtual.yaml');
    const record = await until(
      client,
      ClusterRecord,
      'bellevue',
      (present) => present?.status?.capacity !== undefined && present.status.phase === 'Ready',
    );
    assert.equal(record?.status?.capacity?.cpu, '24');
    const { items } = (await server.cluster('bellevue')?.client.list(Node)) ?? {};
    assert.deepEqual(items?.map(({ metadata }) => metadata.name).sort(), [
      '2xlarge-0',
      'large-0',
      'large-1',
    ]);
    assert.match(readFileSync(perigee.kubeconfig, 'utf8'), /clusters\/bellevue/);
    await client.create(PropagationPolicy, {
      metadata: { namespace: 'default', name: 'by-city' },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'near' }],
        placement: {
          clusterAffinity: {
            labelSelector: { matchLabels: { 'globalscheduler.com/city': 'Bellevue' } },
          },
        },
      },
    });
    const labels = { app: 'near' };
    await client.create(Deployment, {
      metadata: { namespace: 'default', name: 'near' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const member = server.cluster('bellevue')?.client as Client;
    await until(member, Deployment, 'near', (there) => there !== undefined);
  }
  await using perigee = await up();
  const { client, server } = perigee;
  const url = server.cluster('bellevue')?.url;
  await until(client, MemberCluster, 'bellevue', (target) => target?.spec.apiEndpoint === url);
  await untilPhase(client, 'bellevue', 'Ready');
  const flavors = [{ flavorID: 'small', totalCapacity: 1 }];
  await client.patch(
    ClusterRecord,
    { name: 'bellevue' },
    { type: 'merge', body: { spec: { flavors } } },
  );
  const member = server.cluster('bellevue')?.client as Client;
  await until(member, Node, '2xlarge-0', (node) => node === undefined);
  await client.delete(ClusterRecord, { name: 'bellevue' });
  const stays = /Deployment default\/near \(NoClusterFit: /;
  await until(client, ClusterRecord, 'bellevue', (record) =>
    stays.test(findCondition(record?.status?.conditions, 'ExecutionTarget')?.message ?? ''),
  );
  const gone = until(client, ClusterRecord, 'bellevue', (record) => record === undefined);
  await client.delete(Deployment, { namespace: 'default', name: 'near' });
  await gone;
  assert.deepEqual(server.clusters, ['member1']);
  assert.doesNotMatch(readFileSync(perigee.kubeconfig, 'utf8'), /bellevue/);
  await assert.rejects(client.get(MemberCluster, { name: 'bellevue' }), /not found/);
});

test('clusters that do not answer are registered, and say why they are of no use yet', async () => {
  await using perigee = await up();
  const { client } = perigee;
  await applyExample(client, 'cluster-kubernetes.yaml');
  await applyExample(client, 'cluster-openstack.yaml');
  const turin = await untilPhase(client, 'turin', 'Unreachable');
  assert.match(
    readyOf(turin)?.message ?? '',
    /https:\/\/turin\.invalid:6443 .*the Secret inventory\/turin/,
  );
  const osaka = await untilPhase(client, 'osaka', 'Unreachable');
  assert.match(
    readyOf(osaka)?.message ?? '',
    /keystone\.osaka\.invalid.*the Secret inventory\/osaka/,
  );
  const { reason } = findCondition(osaka?.status?.conditions, 'ExecutionTarget') ?? {};
  assert.equal(reason, 'InventoryOnly');
  await assert.rejects(client.get(MemberCluster, { name: 'osaka' }), /not found/);
});

test('a virtual member that cannot be is told so, and can be unregistered', async () => {
  await using perigee = await up();
  const { client } = perigee;
  const flavors = [{ flavorID: 'small', totalCapacity: 1_000_000 }];
  const spec = { type: 'virtual', flavors } as const;
  await client.create(ClusterRecord, { metadata: { name: 'huge' }, spec });
  await client.create(ClusterRecord, { metadata: { name: 'perigee' }, spec: { type: 'virtual' } });
  const huge = await untilPhase(client, 'huge', 'NotReady');
  assert.match(readyOf(huge)?.message ?? '', /at most 10000 nodes, and huge would have 1000000/);
  const reserved = await untilPhase(client, 'perigee', 'NotReady');
  assert.match(readyOf(reserved)?.message ?? '', /that is the control plane/);
  for (const name of ['huge', 'perigee']) {
    const gone = until(client, ClusterRecord, name, (record) => record === undefined);
    await client.delete(ClusterRecord, { name });
    await gone;
  }
});
