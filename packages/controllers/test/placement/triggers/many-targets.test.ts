import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Client } from '@perigee/kube/client/client';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { eventsOf } from '../../support/bindings.ts';
import {
  addTrigger,
  addWork,
  ended,
  resultsOf,
  setRoom,
  sharesOf,
  startTriggers,
  triggerOf,
} from '../../support/triggers.ts';

const askedFor = async (client: Client) => {
  const { items } = await client.list(ResourceBinding);
  return items.filter(({ spec }) => spec.rescheduleTriggeredAt !== undefined).length;
};

const addDeployment = (client: Client, name: string, labels: { [key: string]: string }) =>
  client.create(Deployment, {
    metadata: { namespace: 'default', name, labels },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    },
  } as never);

/** A client whose answers are new objects each time, as over HTTP. */
const afresh = (client: Client): Client =>
  new Proxy(client, {
    get: (target, verb: keyof Client) => {
      const method = target[verb] as ((...args: unknown[]) => unknown) | undefined;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const answer = method.apply(target, args);
        if (answer instanceof Promise) return answer.then((value) => structuredClone(value));
        return (async function* () {
          for await (const event of answer as AsyncIterable<unknown>) yield structuredClone(event);
        })();
      };
    },
  });

const names = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);

describe('a trigger of many resources', () => {
  it('selects by labels, namespaces and kinds, and what gains by a cluster', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await client.create(Namespace, { metadata: { name: 'shop' } });
    await addDeployment(client, 'gold', { tier: 'gold' });
    await addDeployment(client, 'lead', { tier: 'lead' });
    await addWork(client, 'gold');
    await addWork(client, 'lead');
    await addWork(client, 'till', { namespace: 'shop' });
    const placement = { clusterAffinity: { clusterNames: ['m1'] } };
    await addWork(client, 'fixed', { spec: { placement } });
    await clock.advance(1000);
    const selectedSteps = async (name: string, spec: object) => {
      await addTrigger(client, name, spec);
      return resultsOf(await ended(plane, name)).map((line) => line.split(' ')[0]);
    };
    const labelSelector = { matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold'] }] };
    assert.deepEqual(await selectedSteps('a', { targetSelectors: [{ labelSelector }] }), ['gold']);
    assert.deepEqual(await selectedSteps('b', { targetSelectors: [{ namespaces: ['shop'] }] }), [
      'till',
    ]);
    assert.deepEqual(await selectedSteps('c', { targetSelectors: [{ kind: 'Secret' }] }), []);
    assert.deepEqual(
      await selectedSteps('d', {
        targetSelectors: [{ namespaces: ['shop'] }, { labelSelector }, {}],
      }),
      ['fixed', 'gold', 'lead', 'till'],
    );
    await addWork(client, 'later');
    await setRoom(client, 'm2', '0');
    await clock.advance(1000);
    assert.deepEqual(
      await selectedSteps('e', { targetSelectors: [{}], towardsClusters: ['m2', 'nowhere'] }),
      ['nowhere'],
    );
    const one = { namespaces: ['default'] };
    const { status } = await triggerOf(client, 'e');
    assert.match(status?.failedResourceList?.[0]?.failReason ?? '', /ClusterNotFound/);
    await clock.advance(1000);
    await addWork(client, 'moved', { spec: { replicas: 1 } });
    await clock.advance(1000);
    assert.equal(await sharesOf(client, 'moved'), 'm1:1');
    await setRoom(client, 'm2', '100');
    assert.deepEqual(
      await selectedSteps('f', { targetSelectors: [one], towardsClusters: ['m2'] }),
      ['moved'],
    );
  });

  it('goes on with all that have the labels, however often its status was written meanwhile', async () => {
    await using plane = await startTriggers({ reach: afresh });
    const { client, clock } = plane;
    for (const name of names(4)) {
      await addDeployment(client, name, { tier: 'gold' });
      await addWork(client, name);
    }
    await clock.advance(1000);
    const labelSelector = { matchLabels: { tier: 'gold' } };
    await addTrigger(client, 'paced', { targetSelectors: [{ labelSelector }], maxPerMinute: 2 });
    const { status } = await ended(plane, 'paced', 300);
    assert.partialDeepStrictEqual(status?.counts, { total: 4, noChange: 4 });
    assert.equal(await askedFor(client), 4);
  });

  it('goes when it is deleted, also if what it selects cannot be read any more', async () => {
    let isBroken = false;
    await using plane = await startTriggers({
      isQuiet: true,
      reach: (client) => {
        const list: Client['list'] = async (kind, options) => {
          if (isBroken && options?.labelSelector !== undefined) throw new Error('it is broken');
          return client.list(kind, options);
        };
        return new Proxy(client, {
          get: (target, name: keyof Client) =>
            name === 'list' ? list : (target[name] as () => unknown).bind(target),
        });
      },
    });
    const { client, clock } = plane;
    await addDeployment(client, 'web', { tier: 'gold' });
    await addWork(client, 'web', { spec: { suspension: { scheduling: true } } });
    const labelSelector = { matchLabels: { tier: 'gold' } };
    await addTrigger(client, 'held', { targetSelectors: [{ labelSelector }] });
    await clock.advance(5000);
    assert.deepEqual(resultsOf(await triggerOf(client, 'held')), ['web Held SchedulingSuspended']);
    isBroken = true;
    await plane.restart();
    await client.delete(ScheduleTrigger, { name: 'held' });
    await clock.advance(5000);
    assert.deepEqual((await client.list(ScheduleTrigger)).items, []);
    const [told = ''] = await eventsOf(client, 'TriggerCancelled');
    assert.match(told, /cannot be read/);
  });

  it('has no more of them under way than it may, and counts all of them', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await setRoom(client, 'm1', '10000');
    for (const name of names(20)) await addWork(client, name);
    await clock.advance(1000);
    // New replicas that never become healthy keep the old ones, and the others from moving.
    await setRoom(client, 'm1', '0');
    await addTrigger(client, 'slow', { targetSelectors: [{}], maxConcurrent: 3 });
    await clock.advance(30_000);
    assert.equal(await askedFor(client), 3);
    const { status, metadata } = await triggerOf(client, 'slow');
    assert.equal(status?.phase, 'Running');
    assert.partialDeepStrictEqual(status.counts, { total: 20, pending: 17, scheduled: 3 });
    assert.deepEqual(metadata.finalizers, ['policy.perigee.io/schedule-trigger']);
    const { items } = await client.list(ResourceBinding);
    for (const { metadata: of, spec } of items) {
      if (spec.gracefulEvictionTasks === undefined) continue;
      const body = { spec: { gracefulEvictionTasks: null } };
      const ref = { namespace: 'default', name: of.name };
      await client.patch(ResourceBinding, ref, { type: 'merge', body });
    }
    await clock.advance(5000);
    assert.equal(await askedFor(client), 6);
    await client.delete(ScheduleTrigger, { name: 'slow' });
    await clock.advance(5000);
    assert.deepEqual((await client.list(ScheduleTrigger)).items, []);
    assert.equal(await askedFor(client), 6);
    assert.deepEqual(await eventsOf(client, 'TriggerCancelled'), [
      'ScheduleTrigger: Deleted before it was done: 14 of 20 resources were not begun and stay as they are.',
    ]);
  });

  it('begins them at its pace', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await setRoom(client, 'm1', '10000');
    for (const name of names(12)) await addWork(client, name);
    await clock.advance(1000);
    await addTrigger(client, 'paced', { targetSelectors: [{}], maxPerMinute: 6 });
    const begun: number[] = [];
    for (let tens = 0; tens < 6; tens += 1) {
      await clock.advance(tens === 0 ? 5000 : 10_000);
      begun.push(await askedFor(client));
    }
    assert.deepEqual(begun, [1, 2, 3, 4, 5, 6]);
    const { status } = await ended(plane, 'paced', 80);
    assert.equal(status?.phase, 'Success');
  });

  it('tells of at most 500 of them, and counts the others', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await setRoom(client, 'm1', '100000');
    for (const name of names(510)) await addWork(client, name);
    await clock.advance(2000);
    const missing = names(3).map((name) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'none',
      name,
    }));
    await addTrigger(client, 'many', { targetSelectors: [{}], targetRefResource: missing });
    const { status } = await ended(plane, 'many', 120);
    assert.equal(status?.phase, 'Failed');
    assert.equal(status.targets?.length, 503);
    assert.equal(status.failedResourceList?.length, 3);
    const { scheduled = 0, noChange = 0, failed } = status.counts ?? {};
    assert.deepEqual({ done: scheduled + noChange, failed }, { done: 510, failed: 3 });
    assert.equal(await askedFor(client), 510);
  });
});
