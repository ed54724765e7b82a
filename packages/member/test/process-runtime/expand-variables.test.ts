import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PodConfigError } from '../../src/errors.ts';
import { expandVariables } from '../../src/process-runtime/expand-variables.ts';

test('references are replaced as by a kubelet', () => {
  const variables = { A: 'x', B: '$(A)' };
  const expand = (text: string) => expandVariables(text, variables);
  assert.equal(expand('$(A)-$(B)-$(C)-$$(A)-$A-$(A'), 'x-$(A)-$(C)-$(A)-$A-$(A');
  assert.equal(expand('$(A) $$ $(A'), 'x $ $(A');
});

test('references without an end are text, however many', () => {
  const text = '$('.repeat(500_000);
  assert.equal(expandVariables(text, { A: 'x' }), text);
});

test('references that would grow beyond what a process can get are refused', () => {
  const variables = { A: 'x'.repeat(10_000) };
  assert.throws(() => expandVariables('$(A)'.repeat(1_000_000), variables), PodConfigError);
});
