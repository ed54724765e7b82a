import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { type Answer, CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user } = world;

const CALLERS = 8;

const register = (name: string, spec: JsonObject = {}, headers: { [name: string]: string } = {}) =>
  call('POST', CLUSTERS, { token: admin, body: profileOf(name, spec), headers });

const capacity = async (name: string) => {
  const { body } = await call('GET', `${CLUSTERS}/${name}`, { token: user });
  const { cluster_spec: spec } = body.cluster_profile as { cluster_spec: JsonObject };
  return spec.CPUCapacity;
};

const codesOf = (answers: readonly Answer[]) => answers.map(({ code }) => code).toSorted();

const times = <T>(make: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: CALLERS }, (_, index) => make(index)));

const others = (code: number) => Array.from({ length: CALLERS - 1 }, () => code);

test('of many who register the same cluster one is told 201, and the others 200', async () => {
  const answers = await times(() => register('same', { CPUCapacity: 8 }));
  assert.deepEqual(codesOf(answers), [...others(200), 201]);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

test('of many who want one name for different clusters one gets it, and the others 409', async () => {
  const answers = await times((index) => register('taken', { CPUCapacity: index + 1 }));
  assert.deepEqual(codesOf(answers), [201, ...others(409)]);
  const winner = answers.findIndex(({ code }) => code === 201);
  assert.equal(await capacity('taken'), winner + 1);
});

test('of many who register with If-None-Match one is told that it is new', async () => {
  const answers = await times(() => register('new', {}, { 'if-none-match': '*' }));
  assert.deepEqual(codesOf(answers), [201, ...others(412)]);
});

test('of many who change the version that they saw one changes it', async () => {
  const { headers } = await register('versioned');
  const sent = { token: admin, headers: { 'if-match': String(headers.etag) } };
  const answers = await times((index) =>
    call('PUT', `${CLUSTERS}/versioned`, {
      ...sent,
      body: profileOf('versioned', { CPUCapacity: index + 1 }),
    }),
  );
  assert.deepEqual(codesOf(answers), [200, ...others(412)]);
  const winner = answers.findIndex(({ code }) => code === 200);
  assert.equal(await capacity('versioned'), winner + 1);
});

test('of many who unregister a cluster one does, and the others are told that it is gone', async () => {
  await register('leaving');
  const answers = await times(() => call('DELETE', `${CLUSTERS}/leaving`, { token: admin }));
  assert.deepEqual(codesOf(answers), [200, ...others(404)]);
});

test('a cluster that was unregistered and registered again is another one', async () => {
  const idOf = ({ body }: Answer) => (body.cluster_profile as JsonObject).cluster_id;
  const first = await register('again');
  await call('DELETE', `${CLUSTERS}/again`, { token: admin });
  const second = await register('again');
  assert.notEqual(idOf(second), idOf(first));
  const old = `${CLUSTERS}/id/${idOf(first)}`;
  assert.equal((await call('GET', old, { token: user })).code, 404);
  assert.equal((await call('DELETE', old, { token: admin })).code, 404);
  const stale = { token: admin, headers: { 'if-match': String(first.headers.etag) } };
  assert.equal((await call('DELETE', `${CLUSTERS}/again`, stale)).code, 412);
  assert.equal((await call('GET', `${CLUSTERS}/again`, { token: user })).code, 200);
});
