import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { referencePages } from './reference-pages.ts';

/** Writes docs/reference: kinds, reasons, commands. */
const folder = new URL('../docs/reference', import.meta.url).pathname;
const pages = await referencePages();
rmSync(join(folder, 'kinds'), { recursive: true, force: true });
for (const [name, text] of pages) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
console.log(`${pages.size} pages in docs/reference`);
