import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { toTable } from '../../src/table/to-table.ts';

const resource = serverResources().find(({ kind }) => kind === 'CertificateSigningRequest');
assert.ok(resource);

const cellsOf = (spec: JsonObject, status: JsonObject) => {
  const metadata = { name: 'jane', creationTimestamp: '2026-01-01T00:00:00Z' };
  const nowMs = Date.parse('2026-01-01T00:00:05Z');
  const { rows } = toTable(resource, [{ metadata, spec, status }], { nowMs });
  return (rows as unknown as readonly { readonly cells: readonly unknown[] }[])[0]?.cells;
};

test('requests for certificates show who asked whom, and what became of it', () => {
  const spec = { signerName: 'example.com/signer', username: 'jane', expirationSeconds: 3_600 };
  const given = (type: string) => ({ type, status: 'True' });
  const start = ['jane', '5s', 'example.com/signer', 'jane', '60m'];
  assert.deepEqual(cellsOf(spec, {}), [...start, 'Pending']);
  assert.deepEqual(cellsOf(spec, { conditions: [given('Approved')], certificate: 'eA==' }), [
    ...start,
    'Approved,Issued',
  ]);
  assert.deepEqual(cellsOf(spec, { conditions: [given('Denied'), given('Failed')] }), [
    ...start,
    'Denied,Failed',
  ]);
  assert.deepEqual(cellsOf({}, {}), ['jane', '5s', '<none>', '', '<none>', 'Pending']);
});
