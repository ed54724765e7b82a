import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

const PODS = '/api/v1/namespaces/a/pods';
const BUDGETS = '/apis/policy/v1/namespaces/a/poddisruptionbudgets';
const MERGE = 'application/merge-patch+json';

const withPod = async () => {
  const api = await serveApi({ resources: serverResources() });
  await api.send('POST', PODS, {
    metadata: { name: 'p', labels: { app: 'x' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  const bind = (node: string, path = `${PODS}/p/binding`) =>
    api.send('POST', path, { metadata: { name: 'p' }, target: { kind: 'Node', name: node } });
  const evict = (query = '') =>
    api.send('POST', `${PODS}/p/eviction${query}`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p' },
    });
  return { ...api, bind, evict };
};

it('keeps the class of service of a pod when a report leaves it out', async () => {
  await using api = await withPod();
  const { body } = await api.call('GET', `${PODS}/p`);
  const report = { ...body, status: { phase: 'Running' } };
  const answer = await api.send('PUT', `${PODS}/p/status`, report);
  assert.deepEqual(answer.body.status, { phase: 'Running', qosClass: 'BestEffort' });
});

/** A pod that runs, and a budget that looks after it. */
const withBudget = async (status: JsonObject) => {
  const api = await withPod();
  await api.bind('n1');
  await api.send(
    'PATCH',
    `${PODS}/p/status`,
    {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    MERGE,
  );
  await api.send('POST', BUDGETS, {
    metadata: { name: 'b' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
  });
  await api.send('PATCH', `${BUDGETS}/b/status`, { status }, MERGE);
  return api;
};

describe('a pod', () => {
  it('is bound to a node once', async () => {
    await using api = await withPod();
    const done = await api.bind('n1');
    assert.equal(done.code, 201);
    assert.deepEqual(done.body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    const { body } = await api.call('GET', `${PODS}/p`);
    assert.equal((body.spec as JsonObject).nodeName, 'n1');
    const [condition] = (body.status as { conditions: JsonObject[] }).conditions;
    assert.deepEqual([condition?.type, condition?.status], ['PodScheduled', 'True']);
    const again = await api.bind('n2', '/api/v1/namespaces/a/bindings');
    assert.equal(again.code, 409);
    assert.equal(
      again.body.message,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    );
  });

  it('is not bound where the binding names nothing, or something else', async () => {
    await using api = await withPod();
    const nowhere = await api.bind('');
    assert.deepEqual([nowhere.code, nowhere.body.message], [500, 'target.name: Required value']);
    const other = await api.send('POST', `${PODS}/p/binding`, {
      metadata: { name: 'q' },
      target: { name: 'n' },
    });
    assert.deepEqual(
      [other.code, other.body.message],
      [400, 'name in URL does not match name in Binding object'],
    );
  });

  it('is evicted at once while nothing runs in it', async () => {
    await using api = await withPod();
    assert.equal((await api.evict()).code, 201);
    assert.equal((await api.call('GET', `${PODS}/p`)).code, 404);
  });

  it('is not evicted against its budget', async () => {
    await using api = await withBudget({
      observedGeneration: 1,
      disruptionsAllowed: 0,
      desiredHealthy: 1,
      currentHealthy: 1,
    });
    const { code, body } = await api.evict();
    assert.equal(code, 429);
    assert.equal(body.reason, 'TooManyRequests');
    assert.deepEqual(body.details, {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
        },
      ],
    });
  });

  it('waits for a budget that nobody has looked at', async () => {
    await using api = await withBudget({ disruptionsAllowed: 1 });
    const { code, headers, body } = await api.evict();
    assert.equal(code, 429);
    assert.equal(headers.get('retry-after'), '10');
    assert.deepEqual((body.details as JsonObject).causes, [
      {
        reason: 'DisruptionBudget',
        message: 'The disruption budget b is still being processed by the server.',
      },
    ]);
  });

  it('spends what its budget allows', async () => {
    await using api = await withBudget({ observedGeneration: 1, disruptionsAllowed: 1 });
    const statusOf = async (path: string) =>
      (await api.call('GET', path)).body.status as JsonObject & { conditions: JsonObject[] };
    assert.equal((await api.evict('?dryRun=All')).code, 201);
    assert.equal((await statusOf(`${BUDGETS}/b`)).disruptionsAllowed, 1);
    assert.equal((await api.evict()).code, 201);
    const { disruptionsAllowed, disruptedPods, conditions } = await statusOf(`${BUDGETS}/b`);
    assert.equal(disruptionsAllowed, 0);
    assert.deepEqual(Object.keys(disruptedPods as JsonObject), ['p']);
    assert.deepEqual(
      conditions.map(({ type, status, reason }) => [type, status, reason]),
      [['DisruptionAllowed', 'False', 'InsufficientPods']],
    );
    const pod = await api.call('GET', `${PODS}/p`);
    assert.equal((pod.body.metadata as JsonObject).deletionGracePeriodSeconds, 30);
    const target = (await statusOf(`${PODS}/p`)).conditions.at(-1);
    assert.deepEqual([target?.type, target?.reason], ['DisruptionTarget', 'EvictionByEvictionAPI']);
  });

  it('has streams only where something runs', async () => {
    await using api = await withPod();
    for (const part of ['log', 'exec', 'attach', 'portforward', 'proxy', 'nothing']) {
      assert.equal((await api.call('GET', `${PODS}/p/${part}`)).code, 404, part);
    }
    assert.equal((await api.call('GET', `${PODS}/p/eviction`)).code, 405);
  });
});
