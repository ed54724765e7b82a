import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import fc from 'fast-check';
import { goForm } from '../../src/types/go-form.ts';
import { typeOfKind } from '../../src/types/kind-types.ts';
import { builtinTable, fieldsNamed } from '../../src/types/table.ts';

const recorded = readFileSync(
  new URL('../../../apiserver/test/protobuf/cases.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { json: JsonObject }).json);

const formOf = (object: JsonObject) =>
  goForm(typeOfKind(String(object.apiVersion), String(object.kind)) ?? '');

const pod = (spec: JsonObject, rest: JsonObject = {}): JsonObject =>
  goForm('core.v1.Pod')({ metadata: { name: 'p' }, spec, ...rest });

test('what a real server sends has the form already, and comes back as the very same object', () => {
  for (const object of recorded) assert.equal(formOf(object)(object), object);
});

test('empty fields that Go leaves out are gone, and pointers to nothing much stay', () => {
  const object = pod(
    {
      nodeName: '',
      hostNetwork: false,
      tolerations: [],
      nodeSelector: {},
      priority: 0,
      activeDeadlineSeconds: null,
      containers: [{ name: '', env: [{ name: 'A', value: '' }], resources: {} }],
    },
    { status: {} },
  );
  assert.deepEqual(object, {
    metadata: { name: 'p' },
    spec: { priority: 0, containers: [{ name: '', env: [{ name: 'A' }], resources: {} }] },
    status: {},
  });
});

test('an empty value stands for its default', () => {
  const { spec } = pod({
    containers: [{ name: 'c', ports: [{ containerPort: 1, protocol: '' }] }],
  });
  assert.deepEqual(spec, {
    containers: [{ name: 'c', ports: [{ containerPort: 1, protocol: 'TCP' }], resources: {} }],
  });
});

test('what is required and missing in a spec stays missing, in a status it is zero', () => {
  const conditions = [{ type: 'Ready' }];
  assert.deepEqual(pod({}, { status: { conditions } }), {
    metadata: { name: 'p' },
    spec: {},
    status: {
      conditions: [{ type: 'Ready', status: '', lastProbeTime: null, lastTransitionTime: null }],
    },
  });
});

test('an empty list is null where Go always writes the list', () => {
  const slice = goForm('discovery.v1.EndpointSlice');
  assert.deepEqual(slice({ metadata: {}, addressType: 'IPv4', endpoints: [], ports: null }), {
    metadata: {},
    addressType: 'IPv4',
    endpoints: null,
    ports: null,
  });
});

test('quantities and times are in their canonical spelling; what cannot be read stays', () => {
  const limits = { cpu: 0.5, memory: '2048Mi', 'example.com/a': '1000m', bad: 'x', worse: true };
  assert.deepEqual(pod({ overhead: limits }).spec, {
    overhead: { cpu: '500m', memory: '2Gi', 'example.com/a': '1', bad: 'x', worse: true },
  });
  const lease = goForm('coordination.v1.Lease');
  const spec = { renewTime: '2026-01-02T03:04:05+01:00', acquireTime: 'soon' };
  assert.deepEqual(lease({ metadata: { deletionTimestamp: '2026-01-02T03:04:05.9Z' }, spec }), {
    metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' },
    spec: { renewTime: '2026-01-02T02:04:05.000000Z', acquireTime: 'soon' },
  });
});

const structs = ['core.v1.Pod', 'core.v1.Container', 'core.v1.Event', 'apps.v1.Deployment'];
const names = [
  ...new Set([...structs, 'core.v1.PodSpec'].flatMap((name) => fieldsNamed(name))),
].map(({ name }) => name);

test('the form of a form is itself, and no input is changed or makes it fail', () => {
  const values = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, '', 0, false, 1, 'x', '1000m', '2026-01-01T00:00:00Z'),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom(...names), tie('value'), {
      maxKeys: 6,
      noNullPrototype: true,
    }),
  }));
  const types = fc.constantFrom(...structs);
  fc.assert(
    fc.property(types, values.object, (type, object) => {
      const before = structuredClone(object);
      const form = goForm(type);
      const formed = form(object);
      assert.equal(form(formed), formed);
      assert.deepEqual(object, before);
    }),
    { numRuns: 1_000 },
  );
});

test('every struct of the table has a form', () => {
  for (const [name, type] of Object.entries(builtinTable().types)) {
    if ('fields' in type) assert.deepEqual(goForm(name)(goForm(name)({})), goForm(name)({}));
  }
});
