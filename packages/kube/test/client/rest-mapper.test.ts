import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResource } from '../../src/client/discovery.ts';
import { RestMapper } from '../../src/client/rest-mapper.ts';
import { UnknownKindError } from '../../src/errors.ts';

const resource = (
  group: string,
  version: string,
  kind: string,
  plural: string,
  others: Partial<ApiResource> = {},
): ApiResource => ({
  group,
  version,
  kind,
  plural,
  scope: 'Namespaced',
  singular: kind.toLowerCase(),
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [],
  preferred: true,
  ...others,
});

const SERVED = [
  resource('', 'v1', 'Pod', 'pods', { shortNames: ['po'] }),
  resource('', 'v1', 'Event', 'events', { shortNames: ['ev'] }),
  resource('apps', 'v1', 'Deployment', 'deployments', { shortNames: ['deploy'] }),
  resource('events.k8s.io', 'v1', 'Event', 'events', { shortNames: ['ev'] }),
  resource('autoscaling', 'v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    shortNames: ['hpa'],
    preferred: false,
  }),
  resource('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    shortNames: ['hpa'],
  }),
  resource('example.io', 'v1', 'Po', 'pos', { shortNames: ['pods'] }),
];

const mapperOf = (...answers: (readonly ApiResource[])[]) => {
  const asked = { times: 0 };
  const discover = async () => answers[Math.min(asked.times++, answers.length - 1)] ?? [];
  return { mapper: new RestMapper({ discover }), asked };
};

const found = async (name: string): Promise<string> => {
  const { group, version, plural } = await mapperOf(SERVED).mapper.byName(name);
  return `${plural}.${version}.${group}`;
};

test('a resource is found by every name that kubectl knows', async () => {
  for (const name of [
    'deploy',
    'deployment',
    'deployments',
    'Deployment',
    'DEPLOYMENTS',
    'deployments.apps',
    'deploy.apps',
    'deployments.v1.apps',
    'Deployment.v1.apps',
    'deployments.app',
  ]) {
    assert.equal(await found(name), 'deployments.v1.apps', name);
  }
  assert.equal(await found('pods.v1.'), 'pods.v1.');
});

test('of several groups the first wins, unless the group is named', async () => {
  assert.equal(await found('events'), 'events.v1.');
  assert.equal(await found('ev'), 'events.v1.');
  assert.equal(await found('events.events.k8s.io'), 'events.v1.events.k8s.io');
  assert.equal(await found('events.v1.events.k8s.io'), 'events.v1.events.k8s.io');
});

test('of several versions the preferred one wins, unless the version is named', async () => {
  assert.equal(await found('hpa'), 'horizontalpodautoscalers.v2.autoscaling');
  assert.equal(await found('hpa.v1.autoscaling'), 'horizontalpodautoscalers.v1.autoscaling');
});

test('nobody can hide a resource by a short name', async () => {
  assert.equal(await found('pods'), 'pods.v1.');
  assert.equal(await found('po'), 'pos.v1.example.io');
});

test('an object is found by its version and kind', async () => {
  const { mapper } = mapperOf(SERVED);
  assert.equal((await mapper.byKind('v1', 'Pod')).plural, 'pods');
  assert.equal((await mapper.byKind('autoscaling/v1', 'HorizontalPodAutoscaler')).version, 'v1');
});

test('discovery is asked once, and once more for a name that is not in it', async () => {
  const { mapper, asked } = mapperOf(SERVED.slice(0, 1), SERVED);
  await Promise.all([mapper.byName('pods'), mapper.byKind('v1', 'Pod')]);
  await mapper.byName('po');
  assert.equal(asked.times, 1);
  assert.equal((await mapper.byName('deploy')).plural, 'deployments');
  assert.equal(asked.times, 2);
  await assert.rejects(mapper.byName('nothing'), UnknownKindError);
  assert.equal(asked.times, 3);
});

test('what is unknown gets a sentence with the names that may have been meant', async () => {
  const { mapper } = mapperOf(SERVED);
  const sentences = {
    deploymnet:
      'the server does not serve a resource named "deploymnet"; did you mean deployment or deployments?',
    zebra:
      'the server does not serve a resource named "zebra"; see which kinds there are, or install the CustomResourceDefinition of this one',
  };
  for (const [name, message] of Object.entries(sentences)) {
    await assert.rejects(mapper.byName(name), { name: 'UnknownKindError', message });
  }
  await assert.rejects(mapper.byKind('v1', 'Deployment'), {
    message:
      'the server does not serve the kind Deployment in v1; did you mean Deployment in apps/v1?',
  });
  await assert.rejects(mapper.byKind('v1', 'Pud'), {
    message: 'the server does not serve the kind Pud in v1; did you mean Pod?',
  });
});

test('one who gives up waiting for discovery leaves it to the others', async () => {
  const answer = Promise.withResolvers<readonly ApiResource[]>();
  const mapper = new RestMapper({ discover: () => answer.promise });
  const abort = new AbortController();
  const first = mapper.byName('pods', { signal: abort.signal });
  const second = mapper.byName('pods');
  const reason = new Error('enough');
  abort.abort(reason);
  await assert.rejects(first, reason);
  answer.resolve(SERVED);
  assert.equal((await second).plural, 'pods');
});
