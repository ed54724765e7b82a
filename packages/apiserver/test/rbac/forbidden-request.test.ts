import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbiddenRequest } from '../../src/rbac/forbidden-request.ts';
import { aUser, wish } from './rbac-fixture.ts';

const x = aUser('x');

test('a refusal says who cannot do what where', () => {
  const { status } = forbiddenRequest(wish(x, { verb: 'list', namespace: 'y' }), '');
  assert.deepEqual(status, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message:
      'pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "y"',
    reason: 'Forbidden',
    details: { kind: 'pods' },
    code: 403,
  });
});

test('it names the object, its group, its part, and what was found wrong', () => {
  const attributes = { verb: 'update', apiGroup: 'apps', resource: 'deployments', name: 'd' };
  const { status } = forbiddenRequest(
    wish(x, { ...attributes, subresource: 'scale' }),
    'RBAC: something',
  );
  assert.equal(
    status.message,
    'deployments.apps "d" is forbidden: User "x" cannot update resource "deployments/scale" in API group "apps" at the cluster scope: RBAC: something',
  );
  assert.deepEqual(status.details, { name: 'd', group: 'apps', kind: 'deployments' });
});

test('a path has no object, and nothing in a message is a page', () => {
  const { status } = forbiddenRequest({ user: aUser('<b>&'), verb: 'get', path: '/a>b' }, '');
  assert.equal(status.message, 'forbidden: User "&lt;b&gt;&amp;" cannot get path "/a&gt;b"');
  assert.deepEqual(status.details, {});
});
