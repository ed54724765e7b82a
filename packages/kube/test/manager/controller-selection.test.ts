import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '@perigee/kube/errors';
import { selectControllers } from '@perigee/kube/manager/controller-selection';

const KNOWN = ['scheduler', 'binding', 'claims'];

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['*', ['scheduler', 'binding', 'claims']],
  ['*,-scheduler', ['binding', 'claims']],
  ['-scheduler,*', ['binding', 'claims']],
  [' * , -scheduler , -binding ', ['claims']],
  ['claims', ['claims']],
  ['claims,binding', ['claims', 'binding']],
  ['*,claims', ['scheduler', 'binding', 'claims']],
];

for (const [list, expected] of CASES) {
  test(`"${list}" selects ${expected.join(' and ')}`, () => {
    assert.deepEqual([...selectControllers(list, KNOWN)], expected);
  });
}

const WRONG: readonly (readonly [string, RegExp])[] = [
  [
    '*,-schedular',
    /by "\*,-schedular": there is no "schedular"; the controllers are binding, claims, scheduler$/,
  ],
  ['claims,binding,claim', /there is no "claim"/],
  ['claims,-claims', /"claims" is switched both on and off/],
  ['-scheduler', /nothing is left; begin with \* to switch the others on/],
  ['', /there is an empty name/],
  ['*,,claims', /there is an empty name/],
];

for (const [list, message] of WRONG) {
  test(`"${list}" is refused, and the error names the controllers`, () => {
    assert.throws(
      () => selectControllers(list, KNOWN),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  });
}
