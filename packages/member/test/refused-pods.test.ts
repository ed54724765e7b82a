import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'web' };

type Operation = 'create' | 'delete';

/** Refuses to create or to delete pods, as a quota or a webhook does. */
const refusing = () => {
  const refused = new Set<Operation>();
  let refusals = 0;
  const wrapClient = (client: Client): Client =>
    new Proxy(client, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...parameters: readonly unknown[]) => {
          if (parameters[0] !== Pod || !refused.has(name as Operation)) {
            return Reflect.apply(value, target, parameters);
          }
          refusals += 1;
          const message = `${String(name)} is refused by a quota`;
          throw new ApiError({ code: 403, reason: 'Forbidden', message });
        };
      },
    });
  return { wrapClient, refused, refusals: () => refusals };
};

const createSet = ({ client }: TestCluster, replicas: number) =>
  client.create(ReplicaSet, {
    metadata: REF,
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  });

const failureOf = ({ status }: ReplicaSet) =>
  status?.conditions?.find(({ type }) => type === 'ReplicaFailure');

describe('a replica set whose pods are refused', () => {
  it('says so, asks for few at a time, and goes on when they are accepted', async () => {
    const { wrapClient, refused, refusals } = refusing();
    await using cluster = await startCluster({ wrapClient });
    const { client, clock } = cluster;
    refused.add('create');
    await createSet(cluster, 50);
    await clock.advance(10_000);
    const failure = failureOf(await client.get(ReplicaSet, REF));
    assert.deepEqual([failure?.status, failure?.reason], ['True', 'FailedCreate']);
    assert.match(failure?.message ?? '', /refused by a quota/);
    assert.ok(refusals() < 25, `${refusals()} requests for 50 refused pods`);
    const { items } = await client.list(Event, { namespace: 'default' });
    assert.ok(items.some(({ reason }) => reason === 'FailedCreate'));
    refused.clear();
    await cluster.until(async () => (await cluster.pods()).length === 50, 120);
    await clock.advance(10_000);
    const set = await client.get(ReplicaSet, REF);
    assert.deepEqual([failureOf(set), set.status?.readyReplicas], [undefined, 50]);
  });

  it('keeps the pods that it may not delete, and says so', async () => {
    const { wrapClient, refused } = refusing();
    await using cluster = await startCluster({ wrapClient });
    const { client, clock } = cluster;
    await createSet(cluster, 3);
    await clock.advance(5000);
    refused.add('delete');
    await client.patch(ReplicaSet, REF, { type: 'merge', body: { spec: { replicas: 1 } } });
    await clock.advance(5000);
    assert.equal((await cluster.pods()).length, 3);
    assert.equal(failureOf(await client.get(ReplicaSet, REF))?.reason, 'FailedDelete');
    refused.clear();
    await cluster.until(async () => (await cluster.pods()).length === 1, 120);
    assert.equal(failureOf(await client.get(ReplicaSet, REF)), undefined);
  });
});
