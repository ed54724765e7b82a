import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crdFiles } from '../tools/crd-files.ts';

const folder = new URL('../deploy/crds', import.meta.url).pathname;

test('deploy/crds is what packages/api generates (else: npm run crds)', () => {
  const expectedFiles = crdFiles();
  assert.deepEqual(readdirSync(folder).toSorted(), [...expectedFiles.keys()].toSorted());
  for (const [name, text] of expectedFiles)
    assert.equal(readFileSync(join(folder, name), 'utf8'), text, name);
});
