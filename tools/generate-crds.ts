import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crdFiles } from './crd-files.ts';

/** Writes deploy/crds from the kinds in packages/api. */
const folder = new URL('../deploy/crds', import.meta.url).pathname;
const files = crdFiles();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);
console.log(`${files.size} CRDs in deploy/crds`);
