import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { compileValidator } from '@perigee/schema/validate/validate';
import { CLUSTERS, startRestWorld } from './rest-world.ts';
import { seedExample } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user } = world;

const { body: document } = await call('GET', '/globalscheduler/v1/openapi.json', { token: user });
const at = (...path: readonly string[]): JsonObject =>
  path.reduce<JsonObject>((node, name) => node[name] as JsonObject, document);

/** A schema with what it refers to in its place. */
const resolved = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(resolved);
  if (!isJsonObject(value)) return value;
  if (typeof value.$ref === 'string') {
    const [, ...path] = value.$ref.split('/');
    return resolved(at(...path));
  }
  const entries = Object.entries(value).map(([name, inner]) => [name, resolved(inner ?? null)]);
  return Object.fromEntries(entries);
};

const problemsOf = (schema: string, value: JsonObject) =>
  compileValidator(resolved(at('components', 'schemas', schema)) as object)(value, undefined);

test('the document has the six calls of the design, and two that change a cluster', () => {
  assert.equal(document.openapi, '3.1.0');
  const calls = Object.entries(at('paths')).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).flatMap(([method, operation]) =>
      isJsonObject(operation) && operation.operationId !== undefined
        ? [`${operation.operationId} ${method.toUpperCase()} ${path}`]
        : [],
    ),
  );
  assert.deepEqual(calls.sort(), [
    `getClusterById GET ${CLUSTERS}/id/{cluster_id}`,
    `getClusterByName GET ${CLUSTERS}/name/{cluster_name}`,
    `listCluster GET ${CLUSTERS}`,
    `registerCluster POST ${CLUSTERS}`,
    `unregisterClusterById DELETE ${CLUSTERS}/id/{cluster_id}`,
    `unregisterClusterByName DELETE ${CLUSTERS}/name/{cluster_name}`,
    `updateClusterById PUT ${CLUSTERS}/id/{cluster_id}`,
    `updateClusterByName PUT ${CLUSTERS}/name/{cluster_name}`,
  ]);
});

test('what is sent and what is answered fits the document', async () => {
  assert.deepEqual(problemsOf('NewCluster', seedExample), []);
  const created = await call('POST', CLUSTERS, { token: admin, body: seedExample });
  assert.deepEqual(problemsOf('Cluster', created.body), []);
  assert.deepEqual(problemsOf('KnownCluster', created.body), []);
  const changed = await call('PUT', `${CLUSTERS}/cluster1`, { token: admin, body: created.body });
  assert.deepEqual(problemsOf('Cluster', changed.body), []);
  const listed = await call('GET', CLUSTERS, { token: user });
  assert.deepEqual(problemsOf('ClusterList', listed.body), []);
  const gone = await call('DELETE', `${CLUSTERS}/cluster1`, { token: admin });
  assert.deepEqual(problemsOf('Unregistered', gone.body), []);
  const problem = await call('GET', `${CLUSTERS}/cluster1`, { token: user });
  assert.deepEqual(problemsOf('Problem', problem.body), []);
});

test('what the server refuses does not fit the document', () => {
  const wrong = [
    { CPUCapacity: 'eight' },
    { ipAdrress: 'no address' },
    { flavors: [{ FlavorID: 'a' }] },
    { storage: [{ TypeID: 'tape', StorageCapacity: 1 }] },
    { apiEndpoint: 'ftp://x' },
    { MemCapacity: -1 },
  ];
  for (const spec of wrong) {
    const profile = { cluster_profile: { cluster_name: 'c', cluster_spec: spec } };
    assert.notDeepEqual(problemsOf('NewCluster', profile), [], JSON.stringify(spec));
  }
});

test('every reference leads somewhere, and every call says what may go wrong', () => {
  const text = JSON.stringify(document);
  for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
    assert.ok(at('components', 'schemas', name), name);
  }
  for (const item of Object.values(at('paths'))) {
    for (const operation of Object.values(item as JsonObject)) {
      if (!isJsonObject(operation)) continue;
      const codes = Object.keys(operation.responses as JsonObject);
      for (const code of ['400', '401', '403', '500', '503']) assert.ok(codes.includes(code));
    }
  }
});
