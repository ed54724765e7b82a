import type { JsonObject } from '@perigee/schema/json';
import {
  binding,
  CONFIG_MAP_RULE,
  configMap,
  configMapsOf,
  creation,
  ownNamespace,
  policy,
} from './case-parts.ts';
import type { MakeCase, Stage } from './cases.ts';

type Spec = JsonObject | ((stage: Stage) => JsonObject);

const filledIn = (spec: Spec, stage: Stage): JsonObject =>
  typeof spec === 'function' ? spec(stage) : spec;

/** A policy, its binding, and the creation of a config map. */
const judged =
  (
    name: string,
    spec: Spec,
    bound: Spec = {},
    more: (stage: Stage) => readonly (readonly [string, JsonObject])[] = () => [],
  ): MakeCase =>
  (stage) => ({
    name,
    given: [
      ...more(stage),
      policy(stage, filledIn(spec, stage)),
      binding(stage, filledIn(bound, stage)),
    ],
    request: creation(stage),
  });

const tests = (...validations: readonly (string | JsonObject)[]): JsonObject => ({
  validations: validations.map((test) => (typeof test === 'string' ? { expression: test } : test)),
});

const PARAM_KIND = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const params = (
  stage: Stage,
  name: string,
  data: { readonly [key: string]: string },
): readonly [string, JsonObject] => [
  configMapsOf(stage),
  configMap(name, data, { labels: { params: 'yes' } }),
];
const limit = (stage: Stage) => [params(stage, 'limits', { most: '1' })];
const byName = { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } };
const bySelector = (action: string) => ({
  paramRef: { selector: { matchLabels: { params: 'yes' } }, parameterNotFoundAction: action },
});
const within = (stage: Stage, fields: JsonObject): JsonObject => ({
  matchConstraints: {
    namespaceSelector: ownNamespace(stage),
    resourceRules: [CONFIG_MAP_RULE],
    ...fields,
  },
});

export const POLICY_CASES: readonly MakeCase[] = [
  judged('a policy that is kept', tests("object.data.a == '1'")),
  judged('a policy that is not kept', tests("object.data.a == '2'")),
  judged('a policy with a message', tests({ expression: 'false', message: 'never' })),
  judged(
    'a policy with a made message',
    tests({ expression: 'false', messageExpression: "'a is ' + object.data.a" }),
  ),
  judged(
    'a message that cannot be made',
    tests({
      expression: 'false',
      messageExpression: 'string(object.data.zzz)',
      message: 'instead',
    }),
  ),
  judged(
    'a message with a line break',
    tests({ expression: 'false', messageExpression: "'a\\nb'", message: 'one line' }),
  ),
  judged('a reason', tests({ expression: 'false', reason: 'Forbidden' })),
  judged(
    'a reason that says how much',
    tests({ expression: 'false', reason: 'RequestEntityTooLarge' }),
  ),
  judged(
    'two tests that fail',
    tests({ expression: 'false', message: 'first' }, { expression: 'false', message: 'second' }),
  ),
  judged('a test that cannot run', tests("object.data.zzz == '1'")),
  judged('a test of what is no map', tests("object.data.a.b == '1'")),
  judged('a test that cannot run, ignored', {
    ...tests("object.data.zzz == '1'"),
    failurePolicy: 'Ignore',
  }),
  judged('a test of the old object', tests('oldObject == null')),
  judged('a test of the request', tests("request.operation == 'UPDATE'")),
  judged('a test of the namespace', (stage) =>
    tests(`namespaceObject.metadata.name != '${stage.namespace}'`),
  ),
  judged('a warning only', tests({ expression: 'false', message: 'careful' }), {
    validationActions: ['Warn'],
  }),
  judged('a note only', tests('false'), { validationActions: ['Audit'] }),
  judged('a condition that does not hold', {
    ...tests('false'),
    matchConditions: [{ name: 'c', expression: "object.data.a == '2'" }],
  }),
  judged('a condition that cannot run', {
    ...tests('true'),
    matchConditions: [{ name: 'c', expression: "object.data.zzz == '2'" }],
  }),
  judged('variables', {
    ...tests({ expression: "variables.b == '12'", messageExpression: "'b is ' + variables.b" }),
    variables: [
      { name: 'a', expression: 'object.data.a' },
      { name: 'b', expression: "variables.a + '1'" },
    ],
  }),
  judged('a variable that cannot run', {
    ...tests("variables.a == '1'"),
    variables: [{ name: 'a', expression: 'object.data.zzz' }],
  }),
  judged(
    'params by name',
    {
      ...PARAM_KIND,
      ...tests({
        expression: 'object.data.a != params.data.most',
        messageExpression: "'limit is ' + params.data.most",
      }),
    },
    byName,
    limit,
  ),
  judged(
    'params that are not there',
    { ...PARAM_KIND, ...tests('true') },
    { paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } },
  ),
  judged(
    'params that are not there and need not be',
    { ...PARAM_KIND, ...tests('false') },
    { paramRef: { name: 'missing', parameterNotFoundAction: 'Allow' } },
  ),
  judged(
    'params by selector',
    {
      ...PARAM_KIND,
      ...tests({
        expression: "params.data.most != '2'",
        messageExpression: "params.metadata.name + ' says no'",
      }),
    },
    bySelector('Deny'),
    (stage) => [
      params(stage, 'one-limit', { most: '1' }),
      params(stage, 'two-limit', { most: '2' }),
    ],
  ),
  judged(
    'params by a selector that finds none',
    { ...PARAM_KIND, ...tests('true') },
    bySelector('Deny'),
  ),
  judged('a binding without params', {
    ...PARAM_KIND,
    ...tests({ expression: 'params != null', message: 'no params' }),
  }),
  judged(
    'params of a kind that is not there',
    { paramKind: { apiVersion: 'none.example.com/v1', kind: 'Nothing' }, ...tests('true') },
    byName,
  ),
  judged('an excluded resource', (stage) => ({
    ...tests('false'),
    ...within(stage, { excludeResourceRules: [CONFIG_MAP_RULE] }),
  })),
  judged('a resource by name', (stage) => ({
    ...tests('false'),
    ...within(stage, { resourceRules: [{ ...CONFIG_MAP_RULE, resourceNames: ['one'] }] }),
  })),
  judged('a resource by another name', (stage) => ({
    ...tests('false'),
    ...within(stage, { resourceRules: [{ ...CONFIG_MAP_RULE, resourceNames: ['two'] }] }),
  })),
  judged('a binding for others', tests('false'), {
    matchResources: { objectSelector: { matchLabels: { a: 'b' } } },
  }),
  judged('an annotation that cannot be made', {
    auditAnnotations: [{ key: 'note', valueExpression: 'string(object.data.zzz)' }],
  }),
  judged('an annotation', { auditAnnotations: [{ key: 'note', valueExpression: "'fine'" }] }),
  judged(
    'a right that everybody who may do everything has',
    tests("authorizer.group('').resource('pods').namespace('default').check('get').allowed()"),
  ),
  judged(
    'the right to the request itself',
    tests("!authorizer.requestResource.check('create').allowed()"),
  ),
  judged(
    'a check of names',
    tests({
      expression: "object.metadata.name.startsWith('two')",
      messageExpression: "'the name ' + object.metadata.name + ' is not right'",
    }),
  ),
  judged('a check of all', tests('object.data.all(key, object.data[key].size() > 3)')),
  judged('a check of an optional', tests("object.?data.zzz.orValue('none') != 'none'")),
  (stage) => ({
    name: 'a policy about updates',
    given: [
      [configMapsOf(stage), configMap('one', { a: '1' })],
      policy(
        stage,
        tests({
          expression: 'oldObject == null || oldObject.data == object.data',
          message: 'data is fixed',
        }),
      ),
      binding(stage),
    ],
    request: {
      method: 'PUT',
      path: `${configMapsOf(stage)}/one`,
      body: configMap('one', { a: '2' }),
    },
  }),
  (stage) => ({
    name: 'a policy about deletions',
    given: [
      [configMapsOf(stage), configMap('one', { a: '1' })],
      policy(stage, tests({ expression: "request.operation != 'DELETE'", message: 'it stays' })),
      binding(stage),
    ],
    request: { method: 'DELETE', path: `${configMapsOf(stage)}/one` },
  }),
  (stage) => ({
    name: 'a policy about names that the server makes up',
    given: [policy(stage, tests("object.metadata.name == 'x'")), binding(stage)],
    request: {
      ...creation(stage),
      path: `${configMapsOf(stage)}?dryRun=All`,
      body: configMap('', {}, { generateName: 'zz-' }),
    },
  }),
];
