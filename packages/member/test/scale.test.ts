import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Node } from '@perigee/kubernetes/core/node';
import { startCluster, template } from './member-fixture.ts';

const NODES = 400;
const PODS = 400;

/** Counts the calls that a client gets. */
const counted = (client: Client): { readonly client: Client; calls(): number } => {
  let calls = 0;
  const proxy = new Proxy(client, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...parameters: readonly unknown[]) => {
        if (name !== 'watch') calls += 1;
        return Reflect.apply(value, target, parameters);
      };
    },
  });
  return { client: proxy, calls: () => calls };
};

it('asks little of a server for many nodes and pods, and has few timers', async () => {
  let examined = 0;
  let asked: () => number = () => 0;
  await using cluster = await startCluster({
    nodes: [{ count: NODES }],
    onDecision: (total) => {
      examined = total;
    },
    wrapClient: (client) => {
      const counting = counted(client);
      asked = counting.calls;
      return counting.client;
    },
  });
  const { client, clock } = cluster;
  assert.equal((await client.list(Node)).items.length, NODES);
  // Each node is created, reports what it has, and is let in.
  assert.ok(asked() <= 3 * NODES + 10, `${asked()} calls for nodes`);
  assert.ok(clock.pendingTimers < 200, `${clock.pendingTimers} timers`);
  const before = asked();
  await client.create(Deployment, {
    metadata: { namespace: 'default', name: 'web' },
    spec: { replicas: PODS, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  });
  const isReady = async () =>
    (await client.get(Deployment, { namespace: 'default', name: 'web' })).status?.readyReplicas ===
    PODS;
  await cluster.until(isReady, 60);
  assert.ok(examined <= 2 * PODS, `${examined} nodes were looked at`);
  // Each pod is created, bound and reported; the rest is events and the states of the sets.
  const calls = asked() - before;
  assert.ok(calls < 8 * PODS, `${calls} calls for pods`);
  assert.ok(clock.pendingTimers < 200, `${clock.pendingTimers} timers`);
});
