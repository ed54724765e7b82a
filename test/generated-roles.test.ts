import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { roleFiles } from '../tools/role-files.ts';

const folder = new URL('../deploy/rbac', import.meta.url).pathname;

test('deploy/rbac holds the roles of Perigee as they are defined (else: npm run rbac)', () => {
  const expected = roleFiles();
  assert.deepEqual(readdirSync(folder).toSorted(), [...expected.keys()].toSorted());
  for (const [name, text] of expected) {
    assert.equal(readFileSync(join(folder, name), 'utf8'), text, name);
  }
});
