import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@perigee/kube/errors';
import { RegistrationError } from '../src/errors.ts';
import { problemReply } from '../src/rest/problem.ts';

const told = (error: unknown) => {
  const { code, headers, body } = problemReply(error);
  return { code, headers, ...JSON.parse(body) };
};

test('a fault of the server tells nothing of its inside', () => {
  const { code, detail, title } = told(new TypeError('the password is 1234'));
  assert.deepEqual([code, title], [500, 'Internal Server Error']);
  assert.doesNotMatch(detail, /1234/);
});

test('what passes is told with the time to wait', () => {
  const busy = { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 3 } };
  assert.deepEqual(told(new ApiError(busy)).headers['retry-after'], '3');
  const timeout = told(new ApiError({ code: 504, reason: 'Timeout', message: 'late' }));
  assert.deepEqual([timeout.code, timeout.headers['retry-after']], [503, '5']);
  const unreachable = new ConnectionError('10.0.0.1 is away', { failure: 'timeout' });
  assert.equal(told(unreachable).code, 503);
  assert.doesNotMatch(told(unreachable).detail, /10\.0\.0\.1/);
});

test('every problem of a registration has its code', () => {
  const codes = [
    ['BadReference', 400],
    ['NotRegistered', 404],
    ['NameTaken', 409],
    ['Leaving', 409],
    ['HasWork', 412],
    ['Changed', 412],
  ] as const;
  for (const [problem, code] of codes) {
    const reply = told(new RegistrationError(problem, 'why'));
    assert.deepEqual([reply.code, reply.reason, reply.detail], [code, problem, 'why']);
  }
});

test('what the API server finds wrong with fields is told in the names of the profile', () => {
  const causes = [
    {
      field: 'spec.cpuCapacity',
      message: 'Invalid value: "a": spec.cpuCapacity in body must be x',
    },
    { field: '<nil>', message: 'some validation rules were not checked' },
  ];
  const error = new ApiError({ code: 422, reason: 'Invalid', details: { causes } });
  const field = 'cluster_profile.cluster_spec.CPUCapacity';
  assert.deepEqual(told(error).errors, [{ field, detail: 'Invalid value: "a": must be x' }]);
  assert.equal(told(error).code, 400);
  const bare = new ApiError({ code: 422, reason: 'Invalid', message: 'a webhook says no' });
  assert.deepEqual([told(bare).code, told(bare).detail], [400, 'a webhook says no']);
});
