import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from '@perigee/schema/values/names';

const checks = {
  checkDnsLabel,
  checkDnsSubdomain,
  checkDns1035Label,
  checkQualifiedName,
  checkLabelValue,
};

const accepted: { readonly [check in keyof typeof checks]: readonly string[] } = {
  checkDnsLabel: ['a', '1a', 'a-b', 'a'.repeat(63)],
  checkDnsSubdomain: ['a', 'a.b-c.1', 'a'.repeat(253)],
  checkDns1035Label: ['a', 'a-1', 'a'.repeat(63)],
  checkQualifiedName: [
    'a',
    'A_b.c-d',
    'example.com/MyName',
    `${'a'.repeat(253)}/${'b'.repeat(63)}`,
  ],
  checkLabelValue: ['', 'a', 'A_b.c-d', 'a'.repeat(63)],
};
const refused: { readonly [check in keyof typeof checks]: readonly string[] } = {
  checkDnsLabel: ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'é', 'a\n', 'a'.repeat(64)],
  checkDnsSubdomain: ['', 'A', '.a', 'a.', 'a..b', 'a_b', 'a/b', 'a'.repeat(254)],
  checkDns1035Label: ['', '1a', 'a.b', 'A', 'a'.repeat(64)],
  checkQualifiedName: [
    '',
    '/a',
    'a/',
    'a/b/c',
    '-a',
    'a b',
    'A/b',
    'a'.repeat(64),
    `${'a'.repeat(254)}/b`,
  ],
  checkLabelValue: ['-', 'a-', 'a b', 'a/b', 'é', 'a\n', 'a'.repeat(64)],
};

for (const [name, check] of Object.entries(checks)) {
  test(`${name} tells good from bad`, () => {
    const key = name as keyof typeof checks;
    for (const value of accepted[key]) assert.deepEqual(check(value), [], value);
    for (const value of refused[key]) assert.notDeepEqual(check(value), [], value);
  });
}

test('problems are told in the words of Kubernetes', () => {
  assert.deepEqual(checkDnsLabel('a.b'), ['must not contain dots']);
  assert.deepEqual(checkDnsLabel(`${'a'.repeat(63)}_`), [
    'must be no more than 63 characters',
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  assert.deepEqual(checkDnsSubdomain('A'), [
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]);
  assert.deepEqual(checkDns1035Label('1'), [
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ]);
  assert.deepEqual(checkQualifiedName('/'), [
    'prefix part must be non-empty',
    'name part must be non-empty',
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]);
  assert.deepEqual(checkQualifiedName(`${'a'.repeat(254)}/b`), [
    'prefix part must be no more than 253 bytes',
  ]);
  assert.deepEqual(checkLabelValue('a'.repeat(64)), ['must be no more than 63 bytes']);
});

test('length counts in bytes', () => {
  assert.deepEqual(checkLabelValue('é'.repeat(32))[0], 'must be no more than 63 bytes');
  assert.equal(checkLabelValue('é'.repeat(31)).length, 1);
});
