import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isNotServed,
  type Status,
} from '../../src/errors.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

const source = 'context "prod" of /home/me/.kube/config';

const errorFor = async (code: number, body: Status | string): Promise<ApiError> => {
  await using f = await startFixture({ config: { source }, client: { retry: { attempts: 1 } } });
  f.server.faults.add({ type: 'answer', code, body });
  const error = await f.client.get(ClusterRole, { name: 'r' }).catch((reason: unknown) => reason);
  assert.ok(error instanceof ApiError, String(error));
  return error;
};

const status = (code: number, reason: string, message: string): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
});

test('rejected credentials: says where, and what to do', async () => {
  const error = await errorFor(401, status(401, 'Unauthorized', 'Unauthorized'));
  assert.equal(error.reason, 'Unauthorized');
  assert.match(
    error.message,
    /^https:\/\/127\.0\.0\.1:\d+ \(context "prod" of \/home\/me\/\.kube\/config\) does not accept the credentials/,
  );
  assert.match(error.message, /log in again, or correct the user in the kubeconfig$/);
});

test('a missing right: says which, as the server does, and whom to ask', async () => {
  const says = 'clusterroles "r" is forbidden: User "me" cannot get resource "clusterroles"';
  const error = await errorFor(403, status(403, 'Forbidden', says));
  assert.equal(error.reason, 'Forbidden');
  assert.ok(error.message.startsWith(says));
  assert.match(error.message, /ask an administrator of https:.* for a role that allows it$/);
});

test('a kind that the server does not serve is not a missing object', async () => {
  const unserved = [
    await errorFor(404, '404 page not found'),
    await errorFor(
      404,
      status(404, 'NotFound', 'the server could not find the requested resource'),
    ),
  ];
  for (const error of unserved) {
    assert.ok(isNotServed(error) && !isNotFound(error));
    assert.match(
      error.message,
      /does not serve clusterroles\.rbac\.authorization\.k8s\.io in version v1; install/,
    );
  }
  const missing = await errorFor(404, {
    ...status(404, 'NotFound', 'clusterroles "r" not found'),
    details: { name: 'r', kind: 'clusterroles' },
  });
  assert.ok(isNotFound(missing) && !isNotServed(missing));
  assert.equal(missing.message, 'clusterroles "r" not found');
});

test('the reasons of a conflict are told apart', async () => {
  const exists = await errorFor(409, status(409, 'AlreadyExists', 'it exists'));
  assert.ok(isAlreadyExists(exists) && !isConflict(exists));
  const conflict = await errorFor(409, status(409, 'Conflict', 'it changed'));
  assert.ok(isConflict(conflict) && !isAlreadyExists(conflict));
});

test('causes come through', async () => {
  const causes = [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.x' }];
  const error = await errorFor(422, { ...status(422, 'Invalid', 'bad'), details: { causes } });
  assert.deepEqual(error.status.details?.causes, causes);
});

test('an answer in plain text or HTML still makes a sentence', async () => {
  assert.match(
    (await errorFor(503, 'upstream connect error')).message,
    /answered: upstream connect error/,
  );
  assert.match(
    (await errorFor(502, '<html><h1>Bad Gateway</h1></html>')).message,
    /answered: HTTP status 502/,
  );
  assert.match((await errorFor(302, '')).message, /answered: HTTP status 302/);
});
