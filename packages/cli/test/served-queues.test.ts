import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerReview } from '@perigee/admission/webhook/answer-review';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { JsonObject } from '@perigee/schema/json';
import { ServedQueues } from '../src/webhook/served-queues.ts';

const QUEUE_NAME = 'volcano.sh/queue-name';

const queue = (name: string, spec: object = {}) =>
  ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name },
    spec: { weight: 1, ...spec },
  }) as never as JsonObject;

const bindingOf = (name: string, namespace: string) => ({
  metadata: { namespace, name: `${name}-deployment` },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name, resourceVersion: '1' },
    replicas: 1,
    placement: {},
    conflictResolution: 'Abort',
  },
});

const shown = ({ metadata, spec }: Pick<ResourceBinding, 'metadata' | 'spec'>) => ({
  annotations: metadata.annotations ?? {},
  suspension: spec.suspension,
});

test('a webhook holds bindings for queues as the embedded server does', async () => {
  const clock = new VirtualClock();
  await using server = await startEmbeddedServer({ clock, listener: 'none' });
  const { client } = server;
  await using webhook = new ServedQueues({ client, clock, queueAll: false });
  const annotations = { 'scheduling.volcano.sh/queue-name': 'of-team' };
  await client.create(Namespace, { metadata: { name: 'team', annotations } });
  const same = async (name: string, labels: object, namespace = 'default') => {
    await client.create(Deployment, {
      metadata: { namespace, name, labels },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { priorityClassName: 'high', containers: [{ name: 'm', image: 'i' }] },
        },
      },
    } as never);
    const draft = bindingOf(name, namespace);
    const asked = await webhook.hold(draft as never, undefined);
    const made = await client.create(ResourceBinding, draft as never);
    assert.deepEqual(shown(asked as never), shown(made));
    assert.deepEqual(await webhook.hold(made as never, made as never), made as never);
    return made;
  };
  const free = await same('early', { [QUEUE_NAME]: 'a' });
  assert.deepEqual(shown(free), { annotations: {}, suspension: undefined });
  await client.create(Queue, queue('default') as never);
  await clock.advance(0);
  const held = await same('held', { [QUEUE_NAME]: 'a' });
  assert.deepEqual(shown(held), {
    annotations: {
      'policy.perigee.io/queued': `{"queue":"a","priorityClassName":"high","since":${clock.now()}}`,
      'policy.perigee.io/held-for': 'queue',
    },
    suspension: { scheduling: true },
  });
  assert.equal((await same('free', {})).spec.suspension, undefined);
  assert.equal((await same('team', {}, 'team')).spec.suspension?.scheduling, true);
});

test('a webhook judges queues beside the others, also those it has not heard of yet', async () => {
  const clock = new VirtualClock();
  await using server = await startEmbeddedServer({ clock, listener: 'none' });
  const { client } = server;
  await using webhook = new ServedQueues({ client, clock, queueAll: false });
  const ask = async (operation: string, object: JsonObject) => {
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: '1',
        operation,
        kind: { group: Queue.group, version: Queue.version, kind: Queue.kind },
        ...(operation === 'DELETE' ? { oldObject: object } : { object }),
      },
    };
    const answer = await answerReview('validate', review, {
      clock,
      isAllowed: async () => true,
      queuesAround: (one) => webhook.family(one),
    });
    const { allowed, status } = { ...(answer?.response as JsonObject) };
    return allowed === true ? 'allowed' : (status as JsonObject).message;
  };
  const child = queue('child', { parent: 'top', capability: { cpu: '20' } });
  assert.equal(await ask('CREATE', child), 'spec.parent: Not found: "top"');
  await client.create(Queue, queue('top', { capability: { cpu: '10' } }) as never);
  assert.match(String(await ask('CREATE', child)), /^spec\.capability\[cpu\]: Invalid value: "20"/);
  assert.equal(await ask('CREATE', queue('child', { parent: 'top' })), 'allowed');
  await client.create(Queue, queue('child', { parent: 'top' }) as never);
  await clock.advance(0);
  assert.equal(await ask('DELETE', queue('top')), 'the queue child is a part of it');
  assert.equal(await ask('DELETE', queue('child')), 'allowed');
});
