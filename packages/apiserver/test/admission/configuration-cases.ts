import type { JsonObject } from '@perigee/schema/json';
import {
  binding,
  CONFIG_MAP_RULE,
  mutating,
  policy,
  tried,
  validating,
  webhook,
} from './case-parts.ts';
import type { MakeCase } from './cases.ts';

/** A webhook with these fields, in a configuration that is only tried. */
const hooked =
  (name: string, fields: JsonObject, configure = validating): MakeCase =>
  (stage) => ({ name, request: tried(configure(stage, webhook(stage, 'hook', fields))) });

const ruled = (name: string, rule: JsonObject): MakeCase =>
  hooked(name, { rules: [{ ...CONFIG_MAP_RULE, ...rule }] });

const policed =
  (name: string, spec: JsonObject): MakeCase =>
  (stage) => ({ name, request: tried(policy(stage, spec)) });

const bound =
  (name: string, spec: JsonObject): MakeCase =>
  (stage) => ({ name, request: tried(binding(stage, spec)) });

const test = (expression: string, more: JsonObject = {}): JsonObject => ({
  validations: [{ expression, ...more }],
});

const condition = (expression: string, name = 'c'): JsonObject => ({
  matchConditions: [{ name, expression }],
});

export const CONFIGURATION_CASES: readonly MakeCase[] = [
  hooked('a webhook without rules', { rules: [] }),
  hooked('a name of two parts', { name: 'short.name' }),
  hooked('a bad failure policy', { failurePolicy: 'Maybe' }),
  hooked('a bad match policy', { matchPolicy: 'Nearly' }),
  hooked('bad side effects', { sideEffects: 'Some' }),
  hooked('no side effects told', { sideEffects: null }),
  hooked('a timeout of nothing', { timeoutSeconds: 0 }),
  hooked('a timeout of too much', { timeoutSeconds: 31 }),
  hooked('no review versions', { admissionReviewVersions: [] }),
  hooked('unknown review versions', { admissionReviewVersions: ['v2', 'v3'] }),
  hooked('the same review version twice', { admissionReviewVersions: ['v1', 'v1'] }),
  hooked('a bad review version', { admissionReviewVersions: ['V1!'] }),
  hooked('a bad reinvocation policy', { reinvocationPolicy: 'Always' }, mutating),
  hooked('neither url nor service', { clientConfig: {} }),
  hooked('both url and service', {
    clientConfig: { url: 'https://x/', service: { namespace: 'a', name: 'b' } },
  }),
  hooked('an http url', { clientConfig: { url: 'http://127.0.0.1/' } }),
  hooked('a url with a query', { clientConfig: { url: 'https://127.0.0.1/?a=b' } }),
  hooked('a url with a user', { clientConfig: { url: 'https://me@127.0.0.1/' } }),
  hooked('a url with a fragment', { clientConfig: { url: 'https://127.0.0.1/#a' } }),
  hooked('a url without a host', { clientConfig: { url: 'https:///path' } }),
  hooked('a service without a name', { clientConfig: { service: { namespace: 'a', name: '' } } }),
  hooked('a service with a bad path', {
    clientConfig: { service: { namespace: 'a', name: 'b', path: 'no/slash' } },
  }),
  hooked('a service with a bad port', {
    clientConfig: { service: { namespace: 'a', name: 'b', port: 70000 } },
  }),
  hooked('a bad selector', {
    objectSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
  }),
  hooked('a condition that is no expression', condition('1 +')),
  hooked('a condition of another type', condition("'text'")),
  hooked('a condition on what is not there', condition('params.x == 1')),
  hooked('a condition without a name', condition('true', '')),
  hooked('a condition with a bad name', condition('true', 'not a name')),
  hooked('an empty condition', condition('')),
  hooked('two conditions of one name', {
    matchConditions: [
      { name: 'c', expression: 'true' },
      { name: 'c', expression: 'true' },
    ],
  }),
  (stage) => ({
    name: 'two webhooks of one name',
    request: tried(mutating(stage, webhook(stage, 'hook'), webhook(stage, 'hook'))),
  }),
  ruled('no operations', { operations: [] }),
  ruled('an unknown operation', { operations: ['READ'] }),
  ruled('all operations and one', { operations: ['*', 'CREATE'] }),
  ruled('no groups', { apiGroups: [] }),
  ruled('all groups and one', { apiGroups: ['*', 'apps'] }),
  ruled('no versions', { apiVersions: [] }),
  ruled('an empty version', { apiVersions: [''] }),
  ruled('no resources', { resources: [] }),
  ruled('all resources and one', { resources: ['*', 'pods'] }),
  ruled('all parts and one', { resources: ['pods/*', 'pods/status'] }),
  ruled('a part of all and one', { resources: ['*/scale', 'pods/scale'] }),
  ruled('everything and one', { resources: ['*/*', 'pods'] }),
  ruled('an empty resource', { resources: [''] }),
  ruled('a bad scope', { scope: 'Some' }),
  policed('a policy without anything', {}),
  policed('a policy without constraints', { ...test('true'), matchConstraints: null }),
  policed('a policy without rules', { ...test('true'), matchConstraints: {} }),
  policed('a bad failure policy of a policy', { ...test('true'), failurePolicy: 'Maybe' }),
  policed('an expression that is none', test('object.x ==')),
  policed('an expression of another type', test("'text'")),
  policed('an expression of no type', test('object.x')),
  policed('an expression on what is not there', test('unknown.x == 1')),
  policed('an expression on params without a kind', test('params.x == 1')),
  policed('an empty expression', test('')),
  policed('an empty message', test('true', { message: ' ' })),
  policed('a message of two lines', test('true', { message: 'a\nb' })),
  policed('an expression of two lines', test('true\n|| false')),
  policed('a message expression of another type', test('true', { messageExpression: '1' })),
  policed('a bad reason', test('true', { reason: 'Because' })),
  policed('a bad field of the request', test("request.zzz == '1'")),
  policed('a bad kind of params', { ...test('true'), paramKind: { apiVersion: '', kind: '' } }),
  policed('a variable with a bad name', {
    ...test('true'),
    variables: [{ name: 'not a name', expression: '1' }],
  }),
  policed('a variable without an expression', {
    ...test('true'),
    variables: [{ name: 'a', expression: '' }],
  }),
  policed('a variable that does not compile', {
    ...test('true'),
    variables: [{ name: 'a', expression: 'zzz' }],
  }),
  policed('a variable that is not there', test('variables.a == 1')),
  policed('an annotation with a bad key', {
    auditAnnotations: [{ key: 'not a key', valueExpression: "'a'" }],
  }),
  policed('an annotation of another type', {
    auditAnnotations: [{ key: 'a', valueExpression: '1' }],
  }),
  policed('an annotation twice', {
    auditAnnotations: [
      { key: 'a', valueExpression: "'a'" },
      { key: 'a', valueExpression: "'b'" },
    ],
  }),
  bound('a binding without a policy', { policyName: '' }),
  bound('a binding without actions', { validationActions: [] }),
  bound('a binding with an unknown action', { validationActions: ['Shout'] }),
  bound('a binding that denies and warns', { validationActions: ['Deny', 'Warn'] }),
  bound('a binding with an action twice', { validationActions: ['Deny', 'Deny'] }),
  bound('a reference to nothing', { paramRef: { parameterNotFoundAction: 'Deny' } }),
  bound('a reference to both', {
    paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' },
  }),
  bound('a reference without an action', { paramRef: { name: 'a' } }),
  bound('a reference with a bad action', {
    paramRef: { name: 'a', parameterNotFoundAction: 'Maybe' },
  }),
];
