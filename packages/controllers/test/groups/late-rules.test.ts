import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { podGroupControllers } from '@perigee/controllers/groups/pod-group-controllers';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startControlPlane } from '../support/control-plane.ts';

const namespace = 'default';
const spec = { schedulerName: 'volcano', containers: [{ name: 'c', image: 'i' }] };

test('a group follows what changed while nobody ran, also if the rules are read last', async () => {
  const clock = new VirtualClock();
  let runs = true;
  /** The ConfigMap with the rules takes a while, as from a server that is busy. */
  const reach = (client: Client): Client => {
    const list: Client['list'] = async (kind, options) => {
      if (kind.kind === 'ConfigMap') await clock.sleep(1000);
      return client.list(kind, options);
    };
    const watch = async function* (...[kind, options]: Parameters<Client['watch']>) {
      if (kind.kind === 'ConfigMap') await clock.sleep(1000);
      yield* client.watch(kind, options);
    } as Client['watch'];
    const late: Partial<Client> = { list, watch };
    return new Proxy(client, {
      get: (target, name: keyof Client) =>
        late[name] ?? (target[name] as () => unknown).bind(target),
    });
  };
  await using plane = await startControlPlane({
    controllers: (parts) => (runs ? podGroupControllers(parts) : []),
    clock,
    reach,
  });
  const { client } = plane;
  const template = { metadata: { labels: { app: 'web' } }, spec };
  const { metadata } = await client.create(Deployment, {
    metadata: { namespace, name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  } as never);
  const { apiVersion, kind } = { apiVersion: 'apps/v1', kind: 'Deployment' };
  const owner = { apiVersion, kind, name: 'web', uid: metadata.uid, controller: true };
  await client.create(Pod, {
    metadata: { namespace, name: 'web-1', ownerReferences: [owner] },
    spec,
  } as never);
  await clock.advance(5000);
  const ref = { namespace, name: `podgroup-${metadata.uid}` };
  assert.equal((await client.get(PodGroup, ref)).spec.minMember, 1);
  runs = false;
  await plane.restart();
  const annotations = { 'scheduling.volcano.sh/group-min-member': '3' };
  const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
  await client.patch(Deployment, { namespace, name: 'web' }, patch);
  runs = true;
  await plane.restart();
  await clock.advance(5000);
  assert.equal((await client.get(PodGroup, ref)).spec.minMember, 3);
});
