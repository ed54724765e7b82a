import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import {
  CONFIG_MAP_RULE,
  CONFIG_MAPS,
  configMap,
  MUTATING,
  patchOf,
  reviewed,
  startWithWebhook,
} from './admission-fixture.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';

type Api = Awaited<ReturnType<typeof startWithWebhook>>;

/** Adds a policy that writes its letter behind those that are there, and binds it. */
const addPolicy = async (api: Api, letter: string, spec: JsonObject = {}): Promise<void> => {
  const expression = `Object{data: {"letters": (has(object.data.letters) ? object.data.letters : "") + "${letter}"}}`;
  const made = await api.send('POST', `${GROUP}/mutatingadmissionpolicies`, {
    metadata: { name: letter },
    spec: {
      matchConstraints: { resourceRules: [{ ...CONFIG_MAP_RULE, operations: ['*'] }] },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
      reinvocationPolicy: 'Never',
      ...spec,
    },
  });
  assert.equal(made.code, 201, JSON.stringify(made.body));
  const bound = await api.send('POST', `${GROUP}/mutatingadmissionpolicybindings`, {
    metadata: { name: letter },
    spec: { policyName: letter },
  });
  assert.equal(bound.code, 201, JSON.stringify(bound.body));
};

const lettersOf = async (api: Api, name: string): Promise<unknown> => {
  const { body } = await api.send('POST', CONFIG_MAPS, configMap(name, { x: '1' }));
  return (body.data as JsonObject).letters;
};

const addLetter = (letter: string) => (review: JsonObject) => {
  const { object } = review.request as { object: JsonObject };
  const { letters = '' } = (object.data ?? {}) as { letters?: string };
  const value = `${letters}${letter}`;
  return reviewed(review, patchOf({ op: 'add', path: '/data/letters', value }));
};

test('policies change what is created, updated, patched and applied, in the order of names', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  await addPolicy(api, 'b');
  await addPolicy(api, 'a');
  assert.equal(await lettersOf(api, 'one'), 'ab');
  const path = `${CONFIG_MAPS}/one`;
  const updated = await api.send('PUT', path, configMap('one', { x: '2' }));
  assert.deepEqual(updated.body.data, { x: '2', letters: 'ab' });
  const merge = 'application/merge-patch+json';
  const patched = await api.send('PATCH', path, { data: { x: '3' } }, merge);
  assert.deepEqual(patched.body.data, { x: '3', letters: 'abab' });
  const applied = await api.send(
    'PATCH',
    `${CONFIG_MAPS}/two?fieldManager=me`,
    configMap('two', { x: '4' }),
    'application/apply-patch+yaml',
  );
  assert.deepEqual(applied.body.data, { x: '4', letters: 'ab' });
  assert.equal((await api.send('DELETE', path)).code, 200);
});

test('policies come before webhooks, and may be asked again after them', async () => {
  await using api = await startWithWebhook(addLetter('w'));
  await addPolicy(api, 'a');
  await addPolicy(api, 'b', { reinvocationPolicy: 'IfNeeded' });
  await api.configure(MUTATING, {});
  assert.equal(await lettersOf(api, 'one'), 'abwb');
});

test('a webhook may be asked again after a policy that was asked again', async () => {
  await using api = await startWithWebhook(addLetter('w'));
  await addPolicy(api, 'a', { reinvocationPolicy: 'IfNeeded' });
  await api.configure(MUTATING, { reinvocationPolicy: 'IfNeeded' });
  assert.equal(await lettersOf(api, 'one'), 'awaw');
});

test('a policy without a binding, or whose binding is gone, changes nothing', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  await addPolicy(api, 'a');
  await api.send('DELETE', `${GROUP}/mutatingadmissionpolicybindings/a`);
  assert.equal(await lettersOf(api, 'one'), undefined);
});
