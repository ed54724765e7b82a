import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { referencePages } from '../tools/reference-pages.ts';

const folder = new URL('../docs/reference', import.meta.url).pathname;

test('docs/reference is what the code says (else: npm run reference)', async () => {
  const pages = await referencePages();
  const kinds = [...pages.keys()].filter((name) => name.startsWith('kinds/'));
  assert.deepEqual(
    readdirSync(join(folder, 'kinds'))
      .map((name) => `kinds/${name}`)
      .toSorted(),
    kinds.toSorted(),
  );
  for (const [name, text] of pages) {
    assert.equal(readFileSync(join(folder, name), 'utf8'), text, name);
  }
});
