import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import { compileValidator } from '@perigee/schema/validate/validate';
import { builtinResources } from '../src/builtin-resources.ts';
import { typeOfKind } from '../src/types/kind-types.ts';

const resourceOf = (apiVersion: string, kind: string) => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return builtinResources().find(
    (resource) =>
      resource.group === group && resource.version === version && resource.kind === kind,
  );
};

const decoded = (apiVersion: string, kind: string, object: JsonObject) =>
  compileDecoder(resourceOf(apiVersion, kind)!.schema)({ apiVersion, kind, ...object });

const problems = (apiVersion: string, kind: string, object: JsonObject): readonly string[] =>
  compileValidator(resourceOf(apiVersion, kind)!.schema)(
    decoded(apiVersion, kind, object).value,
  ).map(({ field, message }) => `${field}: ${message}`);

test('the names, verbs and parts of a resource', () => {
  const { schema, strategy, columns, ...deployments } = resourceOf('apps/v1', 'Deployment')!;
  assert.equal(schema.type, 'object');
  assert.equal(strategy.hasGeneration, true);
  assert.deepEqual(
    columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name),
    ['Ready', 'Up-to-date', 'Available', 'Age'],
  );
  assert.deepEqual(deployments, {
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    type: 'apps.v1.Deployment',
    plural: 'deployments',
    scope: 'Namespaced',
    singular: 'deployment',
    listKind: 'DeploymentList',
    shortNames: ['deploy'],
    categories: ['all'],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    origin: 'built-in',
    storage: { group: 'apps', plural: 'deployments', version: 'v1' },
    hasStatus: true,
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.spec.selector',
    },
    subresources: [
      {
        name: 'scale',
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get', 'patch', 'update'],
      },
      {
        name: 'status',
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        verbs: ['get', 'patch', 'update'],
      },
    ],
  });
});

test('no two resources have one address', () => {
  const addresses = builtinResources().map((r) => `${r.group}/${r.version}/${r.plural}`);
  assert.equal(new Set(addresses).size, addresses.length);
});

test('events are stored once, whatever the group in which they are seen', () => {
  assert.deepEqual(
    resourceOf('events.k8s.io/v1', 'Event')?.storage,
    resourceOf('v1', 'Event')?.storage,
  );
});

test('the types of kinds, of their lists, and of what is sent to their subresources', () => {
  assert.equal(typeOfKind('v1', 'Pod'), 'core.v1.Pod');
  assert.equal(typeOfKind('rbac.authorization.k8s.io/v1', 'RoleList'), 'rbac.v1.RoleList');
  assert.equal(typeOfKind('policy/v1', 'Eviction'), 'policy.v1.Eviction');
  assert.equal(typeOfKind('autoscaling/v1', 'Scale'), 'autoscaling.v1.Scale');
  assert.equal(
    typeOfKind('authentication.k8s.io/v1', 'TokenRequest'),
    'authentication.v1.TokenRequest',
  );
  assert.equal(typeOfKind('example.com/v1', 'DeleteOptions'), 'meta.v1.DeleteOptions');
  assert.equal(typeOfKind('example.com/v1', 'Pod'), undefined);
  assert.equal(typeOfKind('v1', 'Container'), undefined);
});

describe('every schema compiles, and takes an object of its kind', () => {
  for (const { group, version, kind, schema } of builtinResources()) {
    test(`${group}/${version} ${kind}`, () => {
      const { value, unknownFields } = compileDecoder(schema)({
        apiVersion: 'x',
        kind,
        metadata: { name: 'a' },
        unheardOf: 1,
      });
      assert.deepEqual(unknownFields, ['unheardOf']);
      const errors = compileValidator(schema)(value);
      assert.ok(errors.every(({ reason }) => reason === 'FieldValueRequired'));
    });
  }
});

test('objects of a real server keep their form and are valid', () => {
  const lines = readFileSync(
    new URL('../../apiserver/test/protobuf/cases.jsonl', import.meta.url),
    'utf8',
  ).trim();
  for (const line of lines.split('\n')) {
    const { json } = JSON.parse(line) as { json: JsonObject };
    const resource = resourceOf(String(json.apiVersion), String(json.kind));
    if (resource === undefined) continue;
    const { value, unknownFields } = compileDecoder(resource.schema)(json);
    assert.deepEqual(unknownFields, []);
    assert.deepEqual(value, json);
    assert.deepEqual(compileValidator(resource.schema)(value), [], resource.kind);
  }
});

test('what Go always writes is filled in', () => {
  const container = { name: 'c', image: 'i' };
  assert.deepEqual(decoded('v1', 'Pod', { spec: { containers: [container] } }).value, {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { containers: [{ ...container, resources: {} }] },
    status: {},
  });
});

test('what is missing or wrong in a spec is told, and a status is taken as it comes', () => {
  assert.deepEqual(problems('apps/v1', 'Deployment', {}), [
    'spec.template.spec.containers: Required value',
    'spec.selector: Required value',
  ]);
  const ports = [{ containerPort: 80, protocol: 'ICMP' }];
  const containers = [{ name: 'c', ports }];
  assert.deepEqual(problems('v1', 'Pod', { spec: { containers }, status: { phase: 'Odd' } }), [
    'spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
  ]);
  assert.deepEqual(
    problems('v1', 'Pod', {
      spec: {
        containers: [{ name: 'c', resources: { limits: { cpu: 0.5, memory: '1Gi', x: 2 } } }],
      },
      status: { containerStatuses: [{ name: 'c' }] },
    }),
    [],
  );
});
