import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { openAccess } from '../../src/access/access.ts';
import { AccessControl } from '../../src/rbac/access-control.ts';
import { createObject } from '../../src/registry/create.ts';
import { startServer } from '../embedded/embedded-fixture.ts';
import { BINDINGS, configMap, POLICIES } from './admission-fixture.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** The users that may create the config map of a policy that asks for rights. */
const startWithPolicy = async (expression: string) => {
  const api = await startServer();
  const rule = {
    operations: ['CREATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
  };
  const spec: JsonObject = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression, message: 'not you' }],
  };
  await api.send('POST', POLICIES, { metadata: { name: 'p' }, spec });
  const bound = { policyName: 'p', validationActions: ['Deny'] };
  await api.send('POST', BINDINGS, { metadata: { name: 'b' }, spec: bound });
  const rules = [{ verbs: ['bless'], apiGroups: ['example.com'], resources: ['maps'] }];
  await api.send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'blessing' }, rules });
  const subjects = [
    { kind: 'User', name: 'ada', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
  ];
  const roleRef = { kind: 'ClusterRole', name: 'blessing', apiGroup: 'rbac.authorization.k8s.io' };
  const binding = { metadata: { name: 'blessers' }, subjects, roleRef };
  await api.send('POST', `${RBAC}/clusterrolebindings`, binding);
  const control = new AccessControl(api.registry);
  const access = { ...openAccess, allowed: control.allowed.bind(control) };
  const resource = api.registry.resources.find({ group: '', version: 'v1', plural: 'configmaps' });
  assert.ok(resource);
  const createAs = (name: string) => {
    const caller = { user: { name, groups: ['system:authenticated'] }, warn: () => {} };
    const request = { namespace: 'default', body: configMap('one'), dryRun: true };
    return createObject({ ...api.registry, access, caller }, resource, request);
  };
  return { createAs, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
};

const CHECK = "authorizer.group('example.com').resource('maps').check('bless').allowed()";

test('a policy may ask what the user may do', async () => {
  await using api = await startWithPolicy(CHECK);
  await api.createAs('ada');
  await assert.rejects(api.createAs('bob'), /denied request: not you/);
});

test('a policy may ask what a service account may do', async () => {
  await using api = await startWithPolicy(
    CHECK.replace('authorizer', "authorizer.serviceAccount('default', 'robot')"),
  );
  await api.createAs('bob');
});

test('a policy may ask about the request itself', async () => {
  await using api = await startWithPolicy(
    "authorizer.requestResource.check('bless').allowed() || authorizer.path('/x').check('get').reason() == ''",
  );
  await api.createAs('bob');
});
