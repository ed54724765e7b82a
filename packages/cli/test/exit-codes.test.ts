import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, ConnectionError, NoKubeconfigError } from '@perigee/kube/errors';
import { RegistrationError, type RegistrationProblem } from '@perigee/registration/errors';
import { InvalidObjectError, invalid } from '@perigee/schema/errors';
import { CommandError, describeError, exitCodeOf, PartialFailure } from '../src/errors.ts';
import { EXIT, type ExitCode } from '../src/exit-codes.ts';

const apiError = (code: number, details?: ConstructorParameters<typeof ApiError>[0]['details']) =>
  new ApiError({
    code,
    reason: 'Reason',
    message: 'the server said no',
    ...(details && { details }),
  });

describe('the exit code', () => {
  it('follows the answer of the server', () => {
    const codes: readonly (readonly [number, ExitCode])[] = [
      [400, EXIT.invalid],
      [401, EXIT.refused],
      [403, EXIT.refused],
      [404, EXIT.notFound],
      [409, EXIT.conflict],
      [412, EXIT.conflict],
      [418, EXIT.failed],
      [422, EXIT.invalid],
      [429, EXIT.failed],
      [500, EXIT.failed],
      [503, EXIT.failed],
    ];
    for (const [code, exit] of codes) assert.equal(exitCodeOf(apiError(code)), exit, `${code}`);
  });

  it('follows the problem of a registration', () => {
    const codes: { readonly [problem in RegistrationProblem]: ExitCode } = {
      NameTaken: EXIT.conflict,
      SameCluster: EXIT.conflict,
      Leaving: EXIT.conflict,
      NotRegistered: EXIT.notFound,
      HasWork: EXIT.conflict,
      Changed: EXIT.conflict,
      BadReference: EXIT.usage,
    };
    for (const [problem, exit] of Object.entries(codes)) {
      const error = new RegistrationError(problem as RegistrationProblem, 'why');
      assert.equal(exitCodeOf(error), exit, problem);
    }
  });

  it('tells a wrong command, a wrong object and a silent server apart', () => {
    assert.equal(exitCodeOf(new CommandError(EXIT.usage, 'no')), EXIT.usage);
    assert.equal(exitCodeOf(new PartialFailure(EXIT.notFound)), EXIT.notFound);
    assert.equal(exitCodeOf(new InvalidObjectError([invalid('a', 1, 'no')])), EXIT.invalid);
    assert.equal(exitCodeOf(new NoKubeconfigError()), EXIT.unreachable);
    assert.equal(exitCodeOf(new ConnectionError('silent')), EXIT.unreachable);
    assert.equal(exitCodeOf(new TypeError('a fault')), EXIT.failed);
    assert.equal(exitCodeOf('anything'), EXIT.failed);
  });
});

describe('the message', () => {
  it('names each field that is wrong, unless it does already', () => {
    const cause = (field: string) => ({ reason: 'FieldValueInvalid', field, message: 'is bad' });
    const several = apiError(422, { causes: [cause('spec.a'), cause('spec.b')] });
    assert.equal(describeError(several), 'the server said no\n  spec.a: is bad\n  spec.b: is bad');
    const one = new ApiError({
      code: 422,
      reason: 'Invalid',
      message: 'spec.a: is bad',
      details: { causes: [cause('spec.a')] },
    });
    assert.equal(describeError(one), 'spec.a: is bad');
  });

  it('tells the cause, and the way out', () => {
    const cause = new Error('the disk is full');
    assert.equal(
      describeError(new Error('not written', { cause })),
      'not written (the disk is full)',
    );
    assert.equal(
      describeError(new Error('the disk is full: no', { cause })),
      'the disk is full: no',
    );
    assert.match(describeError(new RegistrationError('HasWork', 'busy')), /\(--force\)$/);
    assert.match(describeError(new RegistrationError('NameTaken', 'taken')), /\(--update\)$/);
    assert.match(describeError(new NoKubeconfigError()), /"perigee up" starts/);
    assert.equal(describeError('a text'), 'a text');
  });
});
