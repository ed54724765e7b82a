import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import {
  BINDINGS,
  CONFIG_MAPS,
  configMap,
  MUTATING,
  POLICIES,
  patchOf,
  reviewed,
  startWithWebhook,
  VALIDATING,
} from './admission-fixture.ts';

const refused = (review: JsonObject) =>
  reviewed(review, { allowed: false, status: { message: 'no' } });

const EVERYTHING = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  scope: '*',
};

const ruleFor = (apiGroup: string, version: string, resource: string): JsonObject => ({
  operations: ['*'],
  apiGroups: [apiGroup],
  apiVersions: [version],
  resources: [resource],
});

const deployment = (replicas: number): JsonObject => ({
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    },
  },
});

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

test('configurations of admission cannot be held back by webhooks', async () => {
  await using api = await startWithWebhook(refused);
  await api.configure(VALIDATING, { rules: [EVERYTHING] });
  assert.equal((await api.send('POST', CONFIG_MAPS, configMap('one'))).code, 400);
  await api.configure(MUTATING, {});
  const { body } = await api.send('GET', VALIDATING);
  const [{ metadata } = { metadata: { name: '' } }] = body.items as {
    metadata: { name: string };
  }[];
  assert.equal((await api.send('DELETE', `${VALIDATING}/${metadata.name}`)).code, 200);
});

test('a webhook gets the version that it asks for, and may change that', async () => {
  await using api = await startWithWebhook((review) =>
    reviewed(review, patchOf({ op: 'replace', path: '/spec/minReplicas', value: 3 })),
  );
  await api.configure(MUTATING, {
    rules: [
      { ...ruleFor('autoscaling', 'v1', 'horizontalpodautoscalers'), operations: ['CREATE'] },
    ],
  });
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const created = await api.send('POST', path, {
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
        },
      ],
    },
  });
  assert.equal(created.code, 201);
  assert.equal(created.body.apiVersion, 'autoscaling/v2');
  const { minReplicas, metrics } = created.body.spec as { minReplicas: number; metrics: unknown[] };
  assert.equal(minReplicas, 3);
  assert.equal(metrics.length, 1);
  const [request = {}] = api.requests();
  assert.equal((request.kind as JsonObject).version, 'v1');
  assert.equal((request.requestKind as JsonObject).version, 'v2');
  const { spec } = request.object as { spec: JsonObject };
  assert.equal(spec.targetCPUUtilizationPercentage, 70);
});

test('a webhook that wants one version only is not asked about another', async () => {
  await using api = await startWithWebhook(refused);
  const rules = [ruleFor('autoscaling', 'v1', 'horizontalpodautoscalers')];
  await api.configure(VALIDATING, { rules, matchPolicy: 'Exact' });
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const body = { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 5 } };
  assert.equal((await api.send('POST', path, body)).code, 201);
  assert.equal(api.webhook.calls.length, 0);
});

test('parts of objects have rules of their own', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  await api.send('POST', DEPLOYMENTS, deployment(1));
  const parts = ['deployments/status', 'deployments/scale'];
  const rule = { ...ruleFor('apps', 'v1', ''), resources: parts };
  await api.configure(VALIDATING, { rules: [rule] });
  const merge = 'application/merge-patch+json';
  const path = `${DEPLOYMENTS}/web`;
  await api.send('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge);
  assert.equal(api.webhook.calls.length, 0);
  await api.send('PATCH', `${path}/status`, { status: { replicas: 1 } }, merge);
  const scaled = await api.send('PATCH', `${path}/scale`, { spec: { replicas: 4 } }, merge);
  assert.equal(scaled.code, 200);
  const seen = api.requests().map(({ subResource, kind }) => [subResource, kind]);
  assert.deepEqual(seen, [
    ['status', { group: 'apps', version: 'v1', kind: 'Deployment' }],
    ['scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }],
  ]);
  const { object, oldObject } = api.requests()[1] as {
    object: { spec: JsonObject };
    oldObject: { spec: JsonObject };
  };
  assert.deepEqual([oldObject.spec, object.spec], [{ replicas: 1 }, { replicas: 4 }]);
});

test('a webhook may change a scale', async () => {
  await using api = await startWithWebhook((review) =>
    reviewed(review, patchOf({ op: 'replace', path: '/spec/replicas', value: 2 })),
  );
  await api.send('POST', DEPLOYMENTS, deployment(1));
  await api.configure(MUTATING, { rules: [ruleFor('apps', 'v1', 'deployments/scale')] });
  const patch = { spec: { replicas: 9 } };
  const path = `${DEPLOYMENTS}/web`;
  const merge = 'application/merge-patch+json';
  assert.equal((await api.send('PATCH', `${path}/scale`, patch, merge)).code, 200);
  const { spec } = (await api.send('GET', path)).body as { spec: JsonObject };
  assert.equal(spec.replicas, 2);
});

test('the binding of a pod can be refused', async () => {
  await using api = await startWithWebhook(refused);
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { containers: [{ name: 'a', image: 'a' }] };
  await api.send('POST', pods, { metadata: { name: 'one' }, spec });
  await api.configure(VALIDATING, { rules: [ruleFor('', 'v1', 'pods/binding')] });
  const binding = { metadata: { name: 'one' }, target: { kind: 'Node', name: 'node1' } };
  const { body } = await api.send('POST', `${pods}/one/binding`, binding);
  assert.equal(body.message, 'admission webhook "one.example.com" denied the request: no');
  const [request = {}] = api.requests();
  assert.deepEqual(request.kind, { group: '', version: 'v1', kind: 'Binding' });
  assert.equal(request.subResource, 'binding');
  assert.equal(request.operation, 'CREATE');
});

test('each object of a collection is asked about', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  for (const name of ['one', 'two']) {
    await api.send('POST', CONFIG_MAPS, configMap(name, {}, { labels: { mine: 'yes' } }));
  }
  await api.configure(VALIDATING, {});
  const { code } = await api.send('DELETE', `${CONFIG_MAPS}?labelSelector=mine%3Dyes`);
  assert.equal(code, 200);
  const names = api.requests().map(({ oldObject }) => {
    const { metadata } = oldObject as { metadata: { name: string } };
    return metadata.name;
  });
  assert.deepEqual(names.toSorted(), ['one', 'two']);
});

test('policies hold for custom kinds and for clients in the process', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  const queues = ruleFor('scheduling.volcano.sh', 'v1beta1', 'queues');
  const policy = {
    metadata: { name: 'weights' },
    spec: {
      matchConstraints: { resourceRules: [queues] },
      validations: [{ expression: 'object.spec.weight < 10', message: 'too heavy' }],
    },
  };
  assert.equal((await api.send('POST', POLICIES, policy)).code, 201);
  const spec = { policyName: 'weights', validationActions: ['Deny'] };
  assert.equal((await api.send('POST', BINDINGS, { metadata: { name: 'all' }, spec })).code, 201);
  const path = '/apis/scheduling.volcano.sh/v1beta1/queues';
  const queue = (weight: number) => ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name: 'q' },
    spec: { weight },
  });
  const { body } = await api.send('POST', path, queue(20));
  assert.equal(
    body.message,
    `queues.scheduling.volcano.sh "q" is forbidden: ValidatingAdmissionPolicy 'weights' with binding 'all' denied request: too heavy`,
  );
  const Queue = {
    group: 'scheduling.volcano.sh',
    version: 'v1beta1',
    kind: 'Queue',
    plural: 'queues',
    scope: 'Cluster',
  } as const;
  await assert.rejects(api.client.create(Queue, queue(20) as never), /too heavy/);
  assert.equal((await api.send('POST', path, queue(2))).code, 201);
});
