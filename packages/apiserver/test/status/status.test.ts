import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import { invalid, required } from '@perigee/schema/errors';
import * as objects from '../../src/status/object-refusals.ts';
import * as requests from '../../src/status/request-refusals.ts';
import * as servers from '../../src/status/server-refusals.ts';
import { deletedStatus, statusBody } from '../../src/status/status-body.ts';

const deployments = { group: 'apps', plural: 'deployments', kind: 'Deployment' };
const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' };

/** Answers of kube-apiserver v1.36.3 to a request of each sort; the part after `"status":"Failure",`. */
const GOLDEN: readonly (readonly [string, ApiError, string])[] = [
  [
    'a missing object',
    objects.notFound(deployments, 'x'),
    '"message":"deployments.apps \\"x\\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404',
  ],
  [
    'a name that is taken',
    objects.alreadyExists(namespaces, 'default'),
    '"message":"namespaces \\"default\\" already exists","reason":"AlreadyExists","details":{"name":"default","kind":"namespaces"},"code":409',
  ],
  [
    'a write on an old state',
    objects.conflict(namespaces, 'default'),
    '"message":"Operation cannot be fulfilled on namespaces \\"default\\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"default","kind":"namespaces"},"code":409',
  ],
  [
    'a precondition',
    objects.conflict(
      namespaces,
      'default',
      'Precondition failed: UID in precondition: x, UID in object meta: cf4f',
    ),
    '"message":"Operation cannot be fulfilled on namespaces \\"default\\": Precondition failed: UID in precondition: x, UID in object meta: cf4f","reason":"Conflict","details":{"name":"default","kind":"namespaces"},"code":409',
  ],
  [
    'a user without the right',
    objects.forbidden(
      deployments,
      'x',
      'User "system:anonymous" cannot get resource "deployments/scale" in API group "apps" in the namespace "default"',
    ),
    '"message":"deployments.apps \\"x\\" is forbidden: User \\"system:anonymous\\" cannot get resource \\"deployments/scale\\" in API group \\"apps\\" in the namespace \\"default\\"","reason":"Forbidden","details":{"name":"x","group":"apps","kind":"deployments"},"code":403',
  ],
  [
    'a list without the right',
    objects.forbidden({ group: '', plural: 'nodes' }, '', 'User "u" cannot list resource "nodes"'),
    '"message":"nodes is forbidden: User \\"u\\" cannot list resource \\"nodes\\"","reason":"Forbidden","details":{"kind":"nodes"},"code":403',
  ],
  [
    'a path without the right',
    objects.forbiddenPath('User "system:anonymous" cannot get path "/foo"'),
    '"message":"forbidden: User \\"system:anonymous\\" cannot get path \\"/foo\\"","reason":"Forbidden","details":{},"code":403',
  ],
  [
    'one field that is wrong',
    objects.invalidObject({ group: '', kind: 'ConfigMap' }, '', [
      required('metadata.name', 'name or generateName is required'),
    ]),
    '"message":"ConfigMap \\"\\" is invalid: metadata.name: Required value: name or generateName is required","reason":"Invalid","details":{"kind":"ConfigMap","causes":[{"reason":"FieldValueRequired","message":"Required value: name or generateName is required","field":"metadata.name"}]},"code":422',
  ],
  [
    'several fields that are wrong',
    objects.invalidObject(deployments, 'a', [
      required('spec.selector'),
      invalid('spec.template.metadata.labels', null, '`selector` does not match template `labels`'),
      required('spec.template.spec.containers'),
    ]),
    '"message":"Deployment.apps \\"a\\" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]","reason":"Invalid","details":{"name":"a","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.selector"},{"reason":"FieldValueInvalid","message":"Invalid value: null: `selector` does not match template `labels`","field":"spec.template.metadata.labels"},{"reason":"FieldValueRequired","message":"Required value","field":"spec.template.spec.containers"}]},"code":422',
  ],
  [
    'a name that is not the one of the path',
    requests.badRequest(
      'the name of the object (other) does not match the name on the URL (default)',
    ),
    '"message":"the name of the object (other) does not match the name on the URL (default)","reason":"BadRequest","code":400',
  ],
  [
    'a token that nobody knows',
    requests.unauthorized(),
    '"message":"Unauthorized","reason":"Unauthorized","code":401',
  ],
  [
    'a resource that nobody serves',
    requests.unknownResource(),
    '"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404',
  ],
  [
    'a method that the path does not have',
    requests.methodNotAllowed(),
    '"message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405',
  ],
  [
    'a reply in a format that nobody writes',
    requests.notAcceptable(['application/json', 'application/yaml']),
    '"message":"only the following media types are accepted: application/json, application/yaml","reason":"NotAcceptable","code":406',
  ],
  [
    'a body in a format that nobody reads',
    requests.unsupportedMediaType(['application/json', 'application/yaml']),
    '"message":"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml","reason":"UnsupportedMediaType","code":415',
  ],
  [
    'a body that is too long',
    requests.requestTooLarge(3 * 1024 * 1024),
    '"message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413',
  ],
  [
    'a list at a state that is gone',
    servers.tooOldList(),
    '"message":"The resourceVersion for the provided list is too old.","reason":"Expired","code":410',
  ],
  [
    'a watch from a state that is gone',
    servers.tooOldWatch(1, 14428),
    '"message":"too old resource version: 1 (14428)","reason":"Expired","code":410',
  ],
  [
    'a version of the future',
    servers.tooLargeVersion(99999999, 15100),
    '"message":"Timeout: Too large resource version: 99999999, current: 15100","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504',
  ],
];

/** Those that take faults to provoke, after the sentences of k8s.io/apimachinery v0.36.3. */
const RARE: readonly (readonly [ApiError, number, string, string])[] = [
  [
    objects.generatedNameTaken(deployments, 'a-x'),
    409,
    'AlreadyExists',
    'deployments.apps "a-x" already exists, the server was not able to generate a unique name for the object',
  ],
  [
    requests.actionNotSupported(deployments, 'create'),
    405,
    'MethodNotAllowed',
    'create is not supported on resources of kind "deployments.apps"',
  ],
  [servers.timeout('it took too long'), 504, 'Timeout', 'Timeout: it took too long'],
  [servers.tooManyRequests(), 429, 'TooManyRequests', 'Too many requests, please try again later.'],
  [servers.internalError('boom'), 500, 'InternalError', 'Internal error occurred: boom'],
  [servers.serviceUnavailable('not ready'), 503, 'ServiceUnavailable', 'not ready'],
  [
    objects.applyConflict('Apply failed with 1 conflict', [{ field: '.data.x' }]),
    409,
    'Conflict',
    'Apply failed with 1 conflict',
  ],
];

describe('Status replies', () => {
  for (const [about, error, rest] of GOLDEN) {
    it(`answers as kube-apiserver: ${about}`, () => {
      assert.ok(error instanceof ApiError);
      assert.equal(
        JSON.stringify(statusBody(error.status)),
        `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",${rest}}`,
      );
    });
  }

  for (const [error, code, reason, message] of RARE) {
    it(`says ${reason}: ${message}`, () => {
      assert.deepEqual([error.code, error.reason, error.message], [code, reason, message]);
    });
  }

  it('tells the same wrong field once in the message and each time in the causes', () => {
    const { status } = objects.invalidObject(namespaces, 'a', [required('spec'), required('spec')]);
    assert.equal(status.message, 'Namespace "a" is invalid: spec: Required value');
    assert.equal(status.details?.causes?.length, 2);
  });

  it('tells what was deleted', () => {
    assert.equal(
      JSON.stringify(
        statusBody(deletedStatus({ group: 'codec.test', plural: 'widgets' }, 'none', '3c78')),
      ),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"none","group":"codec.test","kind":"widgets","uid":"3c78"}}',
    );
  });

  it('tells clients how long to wait', () => {
    assert.equal(servers.tooManyRequests('busy', 7).retryAfterSeconds, 7);
    assert.equal(servers.timeout('slow').retryAfterSeconds, undefined);
  });
});
