import type { JsonObject } from '@perigee/schema/json';
import {
  CONFIG_MAP_RULE,
  configMap,
  configMapsOf,
  creation,
  mutatingBinding,
  mutatingPolicy,
  ownNamespace,
  tried,
} from './case-parts.ts';
import type { MakeCase, Stage } from './cases.ts';

const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): JsonObject => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});

/** A policy, its binding, and the creation of a config map. */
const mutated =
  (name: string, spec: JsonObject, bound: JsonObject = {}, params?: JsonObject): MakeCase =>
  (stage) => ({
    name: `mutation: ${name}`,
    given: [
      ...(params === undefined ? [] : [[configMapsOf(stage), params] as const]),
      mutatingPolicy(stage, spec),
      mutatingBinding(stage, bound),
    ],
    request: creation(stage),
  });

const one = (mutation: JsonObject, rest: JsonObject = {}): JsonObject => ({
  mutations: [mutation],
  ...rest,
});

const DEPLOYMENT_RULE = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
};

const deployed =
  (name: string, mutation: JsonObject): MakeCase =>
  (stage) => ({
    name: `mutation: ${name}`,
    given: [
      mutatingPolicy(stage, {
        mutations: [mutation],
        matchConstraints: {
          namespaceSelector: ownNamespace(stage),
          resourceRules: [DEPLOYMENT_RULE],
        },
      }),
      mutatingBinding(stage),
    ],
    request: {
      method: 'POST',
      path: `/apis/apps/v1/namespaces/${stage.namespace}/deployments`,
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'one' },
        spec: {
          selector: { matchLabels: { app: 'one' } },
          template: {
            metadata: { labels: { app: 'one' } },
            spec: {
              containers: [
                { name: 'a', image: 'a', env: [{ name: 'X', value: '1' }] },
                { name: 'b', image: 'b' },
              ],
            },
          },
        },
      },
    },
  });

const inPod = (fields: string): string =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{${fields}}}}}`;

/** A policy that is only tried, to see what is said against it. */
const checked =
  (name: string, spec: JsonObject | ((stage: Stage) => JsonObject)): MakeCase =>
  (stage) => ({
    name: `mutating policy: ${name}`,
    request: tried(mutatingPolicy(stage, typeof spec === 'function' ? spec(stage) : spec)),
  });

const PARAM_KIND = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const byName = { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } };
const IGNORE = { failurePolicy: 'Ignore' };

/** Effects of MutatingAdmissionPolicies on objects, and refusals of bad ones. */
export const MUTATION_CASES: readonly MakeCase[] = [
  mutated('fields of a map', one(apply('Object{data: {"b": "2"}}'))),
  mutated('fields that are there', one(apply('Object{data: {"a": object.data.a + "!"}}'))),
  mutated('one after the other', {
    mutations: [
      apply('Object{data: {"b": "2"}}'),
      patch('[JSONPatch{op: "copy", from: "/data/b", path: "/data/c"}]'),
      apply('Object{data: {"d": object.data.c + object.data.b}}'),
    ],
  }),
  mutated(
    'optional fields',
    one(apply('Object{?data: optional.none(), ?immutable: optional.of(true)}')),
  ),
  mutated('operations of a patch', {
    mutations: [
      patch(
        '[JSONPatch{op: "add", path: "/data/b", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]',
      ),
    ],
  }),
  mutated(
    'operations that are made',
    one(
      patch(
        '["x", "y"].map(key, JSONPatch{op: "add", path: "/data/" + key, value: key + string(size(object.data))})',
      ),
    ),
  ),
  mutated(
    'a key that has to be escaped',
    one(
      patch(
        '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a/b": "c"}}, JSONPatch{op: "replace", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "d"}, JSONPatch{op: "copy", from: "/metadata/labels/a~1b", path: "/data/label"}]',
      ),
    ),
  ),
  mutated(
    'a value that is an object',
    one(
      patch(
        '[JSONPatch{op: "replace", path: "/metadata", value: Object.metadata{name: object.metadata.name, namespace: object.metadata.namespace}}, JSONPatch{op: "replace", path: "/data", value: {"x": "y"}}]',
      ),
    ),
  ),
  mutated(
    'a test that fails',
    one(
      patch(
        '[JSONPatch{op: "test", path: "/data/a", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]',
      ),
    ),
  ),
  mutated(
    'a test that holds',
    one(
      patch(
        '[JSONPatch{op: "test", path: "/data/a", value: "1"}, JSONPatch{op: "remove", path: "/data/a"}]',
      ),
    ),
  ),
  mutated(
    'a path that is not there',
    one(patch('[JSONPatch{op: "remove", path: "/data/nothing"}]')),
  ),
  mutated(
    'a path that is not there, ignored',
    one(patch('[JSONPatch{op: "remove", path: "/data/nothing"}]'), IGNORE),
  ),
  mutated(
    'no operations',
    one(patch('object.data.a == "2" ? [JSONPatch{op: "remove", path: "/data/a"}] : []')),
  ),
  mutated(
    'params',
    one(apply('Object{data: {"most": params.data.most}}'), PARAM_KIND),
    byName,
    configMap('limits', { most: '7' }),
  ),
  mutated(
    'params that are not there',
    one(apply('Object{data: {"most": params.data.most}}'), PARAM_KIND),
    byName,
  ),
  mutated(
    'params that are not there, ignored',
    one(apply('Object{data: {"most": params.data.most}}'), { ...PARAM_KIND, ...IGNORE }),
    byName,
  ),
  mutated('variables', {
    variables: [
      { name: 'size', expression: 'size(object.data)' },
      { name: 'twice', expression: 'string(variables.size * 2)' },
    ],
    mutations: [apply('Object{data: {"twice": variables.twice}}')],
  }),
  mutated(
    'conditions that do not hold',
    one(apply('Object{data: {"b": "2"}}'), {
      matchConditions: [{ name: 'never', expression: 'object.data.a == "2"' }],
    }),
  ),
  mutated(
    'conditions that fail',
    one(apply('Object{data: {"b": "2"}}'), {
      matchConditions: [{ name: 'bad', expression: 'object.nothing == "2"' }],
    }),
  ),
  mutated('an expression that fails', one(apply('Object{data: {"b": object.nothing}}'))),
  mutated('an expression that fails, ignored', {
    mutations: [apply('Object{data: {"b": object.nothing}}'), apply('Object{data: {"c": "3"}}')],
    ...IGNORE,
  }),
  mutated('objects by the wrong name', one(apply('Object{metadata: Object.spec{}}'))),
  mutated('a field that is not there', one(apply('Object{nothing: "x"}'))),
  mutated('a value of the wrong type', one(apply('Object{data: ["x"]}'))),
  mutated('a name that does not match', one(apply('Object{data: {"b": "2"}}')), {
    matchResources: {
      resourceRules: [{ ...CONFIG_MAP_RULE, operations: ['CREATE'], resourceNames: ['two'] }],
    },
  }),
  deployed('a number', apply('Object{spec: Object.spec{replicas: 1337}}')),
  deployed('sums', apply('Object{spec: Object.spec{replicas: object.spec.replicas + 2}}')),
  deployed(
    'items of a list by their keys',
    apply(
      inPod(
        'containers: [Object.spec.template.spec.containers{name: "b", env: [Object.spec.template.spec.containers.env{name: "Y", value: "2"}]}, Object.spec.template.spec.containers{name: "c", image: "c"}]',
      ),
    ),
  ),
  deployed(
    'each item',
    apply(
      inPod(
        'containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, image: "mirror/" + c.image})',
      ),
    ),
  ),
  deployed(
    'what is set as a whole',
    apply('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}'),
  ),
  deployed(
    'an item without its key',
    apply(inPod('containers: [Object.spec.template.spec.containers{image: "x"}]')),
  ),
  deployed(
    'a patch of a list',
    patch(
      '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: Object.spec.template.spec.containers{name: "z", image: "z"}}]',
    ),
  ),
  checked('fine', one(apply('Object{}'))),
  checked('without mutations', { mutations: [] }),
  checked('of an unknown type', one({ patchType: 'Merge', jsonPatch: { expression: '[]' } })),
  checked('without a type', one({ jsonPatch: { expression: '[]' } })),
  checked('without its expression', one({ patchType: 'JSONPatch' })),
  checked('with an empty expression', one(patch(' '))),
  checked('with both', one({ ...apply('Object{}'), jsonPatch: { expression: '[]' } })),
  checked('that makes a map', one(apply('{"a": "b"}'))),
  checked('that makes a number', one(patch('1'))),
  checked('that makes operations of something', one(patch('object.operations'))),
  checked('with a message that is not known', one(apply('Foo{a: 1}'))),
  checked('with a field that operations lack', one(patch('[JSONPatch{op: "add", what: 1}]'))),
  checked('with an operation by a number', one(patch('[JSONPatch{op: 1, path: "/a"}]'))),
  checked('with objects in braces', one(apply('Object{data: {"a": "b" in {"b": 1} ? "}" : "{"}}'))),
  checked('with messages in a condition', {
    ...one(apply('Object{}')),
    matchConditions: [{ name: 'a', expression: 'Object{} == Object{}' }],
  }),
  checked('without reinvocation', { ...one(apply('Object{}')), reinvocationPolicy: '' }),
  checked('with an unknown reinvocation', {
    ...one(apply('Object{}')),
    reinvocationPolicy: 'Often',
  }),
  checked('for deletions', (stage) => ({
    ...one(apply('Object{}')),
    matchConstraints: {
      namespaceSelector: ownNamespace(stage),
      resourceRules: [{ ...CONFIG_MAP_RULE, operations: ['CREATE', 'DELETE'] }],
    },
  })),
  (stage) => ({
    name: 'mutating binding: without a policy',
    request: tried(mutatingBinding(stage, { policyName: '' })),
  }),
];
