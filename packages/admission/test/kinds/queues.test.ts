import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { QUEUED, RESERVED } from '@perigee/scheduling/placement/binding/queue-marks';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from '../../../apiserver/test/embedded/embedded-fixture.ts';

const QUEUES = '/apis/scheduling.volcano.sh/v1beta1/queues';
const MERGE = 'application/merge-patch+json';
const HELD_FOR = 'policy.perigee.io/held-for';

const queue = (name: string, spec: JsonObject = {}) => ({
  apiVersion: 'scheduling.volcano.sh/v1beta1',
  kind: 'Queue',
  metadata: { name },
  spec,
});

suite('queues among others', () => {
  let api: Awaited<ReturnType<typeof startServer>>;
  before(async () => {
    api = await startServer();
  });
  after(() => api[Symbol.asyncDispose]());

  test('are refused with the field and the numbers', async () => {
    const refusals: readonly (readonly [JsonObject, RegExp])[] = [
      [
        { guarantee: { resource: { cpu: 3 } }, deserved: { cpu: 1 } },
        /spec\.deserved\[cpu\]: Invalid value: "1": the guarantee is 3, and at least as much is deserved/,
      ],
      [
        { guarantee: { resource: { memory: '1Gi' } } },
        /spec\.deserved\[memory\]: Invalid value: "0": the guarantee is 1Gi, and at least as much is deserved/,
      ],
      [
        { deserved: { cpu: 2 }, capability: { cpu: 1 } },
        /spec\.capability\[cpu\]: Invalid value: "1": 2 is deserved, and it may use at least as much/,
      ],
      [{ parent: 'nobody' }, /spec\.parent: Not found: "nobody"$/],
    ];
    for (const [spec, message] of refusals) {
      const { code, body } = await api.send('POST', QUEUES, queue('wrong', spec));
      assert.equal(code, 422);
      assert.match(String(body.message), message);
    }
    await api.client.create(Queue, queue('top', { capability: { cpu: '10' } }) as never);
    const { code, body } = await api.send('POST', QUEUES, {
      ...queue('child', { parent: 'top', capability: { cpu: '20' } }),
    });
    assert.equal(code, 422);
    assert.match(String(body.message), /spec\.capability\[cpu\]: Invalid value: "20"/);
    assert.equal((await api.send('GET', `${QUEUES}/child`)).code, 404);
  });

  test('are judged by what was written a moment before', async () => {
    const names = ['a', 'b', 'c'];
    const all = await Promise.all(
      names.map((name, at) =>
        api.send('POST', QUEUES, queue(name, at === 0 ? {} : { parent: names[at - 1] ?? '' })),
      ),
    );
    assert.deepEqual(
      all.map(({ code }) => code),
      [201, 201, 201],
    );
    const { code, body } = await api.send('PATCH', `${QUEUES}/a`, { spec: { parent: 'c' } }, MERGE);
    assert.equal(code, 422);
    assert.match(String(body.message), /c is itself a part of a$/);
  });

  test('stay while they have work or others below them', async () => {
    await api.client.create(Queue, queue('default') as never);
    await api.client.create(Queue, queue('busy') as never);
    await api.send('PATCH', `${QUEUES}/busy/status`, { status: { running: 2 } }, MERGE);
    const why = async (name: string) =>
      String((await api.send('DELETE', `${QUEUES}/${name}`)).body.message);
    assert.match(await why('default'), /the queue default is always there$/);
    assert.match(await why('a'), /the queue b is a part of it$/);
    assert.match(await why('busy'), /2 running, 0 waiting; close it, and wait until it is empty$/);
    await api.send('PATCH', `${QUEUES}/busy/status`, { status: { running: 0 } }, MERGE);
    assert.equal((await api.send('DELETE', `${QUEUES}/busy`)).code, 200);
  });
});

/** A Deployment and its binding, as a detector writes it. */
const bindingOf = (name: string, namespace: string, more: JsonObject = {}) => ({
  metadata: { name: `${name}-deployment`, namespace },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name, resourceVersion: '1' },
    replicas: 2,
    placement: {},
    ...more,
  },
});

suite('bindings of work in queues', () => {
  let api: Awaited<ReturnType<typeof startServer>>;
  let queueAll: Awaited<ReturnType<typeof startServer>>;
  before(async () => {
    api = await startServer();
    queueAll = await startServer({ queueAll: true });
    for (const { client } of [api, queueAll]) {
      await client.create(Queue, queue('default') as never);
      const annotations = { 'scheduling.volcano.sh/queue-name': 'of-team' };
      await client.create(Namespace, { metadata: { name: 'team', annotations } });
    }
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await queueAll[Symbol.asyncDispose]();
  });

  let serial = 0;
  const make = async (
    words: { readonly own?: JsonObject; readonly pods?: JsonObject } = {},
    { on = api, namespace = 'default', binding = {} as JsonObject } = {},
  ) => {
    serial += 1;
    const name = `work-${serial}`;
    await on.client.create(Deployment, {
      metadata: { name, namespace, ...words.own },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: {
            ...words.pods,
            labels: { app: name, ...(words.pods?.labels as object | undefined) },
          },
          spec: { containers: [{ name: 'm', image: 'i' }] },
        },
      },
    } as never);
    return on.client.create(ResourceBinding, bindingOf(name, namespace, binding) as never);
  };
  const shown = ({ metadata: { annotations = {} }, spec }: ResourceBinding) => ({
    queue: annotations[QUEUED] && JSON.parse(annotations[QUEUED]).queue,
    heldFor: annotations[HELD_FOR],
    suspension: spec.suspension,
  });
  const held = (queue: string) => ({
    queue,
    heldFor: 'queue',
    suspension: { scheduling: true },
  });
  const free = { queue: undefined, heldFor: undefined, suspension: undefined };

  test('are held from their first version on, for the queue that is named', async () => {
    const label = { labels: { 'volcano.sh/queue-name': 'a' } };
    const annotation = { annotations: { 'volcano.sh/queue-name': 'b' } };
    const scheduling = { annotations: { 'scheduling.volcano.sh/queue-name': 'c' } };
    assert.deepEqual(shown(await make({ own: label })), held('a'));
    assert.deepEqual(shown(await make({ pods: label, own: annotation })), held('a'));
    assert.deepEqual(shown(await make({ pods: annotation })), held('b'));
    assert.deepEqual(shown(await make({ own: scheduling })), held('c'));
    assert.deepEqual(shown(await make({}, { namespace: 'team' })), held('of-team'));
    assert.deepEqual(shown(await make({ own: label }, { namespace: 'team' })), held('a'));
  });

  test('are left alone when no queue is named, unless all are to be in one', async () => {
    assert.deepEqual(shown(await make()), free);
    assert.deepEqual(shown(await make({}, { on: queueAll })), held('default'));
  });

  test('are left alone where there is no default queue, as nobody would let them through', async () => {
    await using bare = await startServer();
    const label = { labels: { 'volcano.sh/queue-name': 'a' } };
    assert.deepEqual(shown(await make({ own: label }, { on: bare })), free);
  });

  test('keep the suspensions of users', async () => {
    const own = { labels: { 'volcano.sh/queue-name': 'a' } };
    const dispatching = await make({ own }, { binding: { suspension: { dispatching: true } } });
    assert.deepEqual(shown(dispatching), {
      ...held('a'),
      suspension: { dispatching: true, scheduling: true },
    });
    const suspended = await make({ own }, { binding: { suspension: { scheduling: true } } });
    assert.deepEqual(shown(suspended), {
      queue: 'a',
      heldFor: undefined,
      suspension: { scheduling: true },
    });
    const { name, namespace = '' } = suspended.metadata;
    const lift = { type: 'merge', body: { spec: { suspension: null } } } as const;
    const lifted = await api.client.patch(ResourceBinding, { name, namespace }, lift);
    assert.deepEqual(shown(lifted), held('a'), 'the queue has not let it through yet');
  });

  test('go through with a reservation, and stay through', async () => {
    const made = await make({ own: { labels: { 'volcano.sh/queue-name': 'a' } } });
    const { name, namespace = '' } = made.metadata;
    const patch = (body: object) =>
      api.client.patch(ResourceBinding, { name, namespace }, { type: 'merge', body } as const);
    const released = await patch({
      metadata: { annotations: { [RESERVED]: '{"clusters":{"c1":2}}', [HELD_FOR]: null } },
      spec: { suspension: null },
    });
    assert.deepEqual(shown(released), { ...free, queue: 'a' });
    const placed = await patch({ spec: { clusters: [{ name: 'c1', replicas: 2 }] } });
    const moved = await patch({ spec: { clusters: null } });
    assert.deepEqual([shown(placed), shown(moved)], [shown(released), shown(released)]);
    const forged = await patch({ metadata: { annotations: { [QUEUED]: '{"queue":"other"}' } } });
    assert.equal(shown(forged).queue, 'a', 'nobody else says in which queue it is');
  });

  test('of running work count in the queue that it names later, and go on', async () => {
    const made = await make({}, { binding: { clusters: [{ name: 'c1', replicas: 2 }] } });
    const { name, namespace = '' } = made.metadata;
    const { name: work } = made.spec.resource;
    const label = { metadata: { labels: { 'volcano.sh/queue-name': 'a' } } };
    const merge = (body: object) => ({ type: 'merge', body }) as const;
    await api.client.patch(Deployment, { namespace, name: work }, merge(label));
    const seen = merge({ spec: { resource: { resourceVersion: '2' } } });
    const counted = await api.client.patch(ResourceBinding, { name, namespace }, seen);
    assert.deepEqual(shown(counted), { ...free, queue: 'a' });
  });
});
