import { findImportViolations } from './import-direction.ts';

const root = new URL('..', import.meta.url).pathname;
const violations = findImportViolations(root);
for (const { file, imported, why } of violations)
  console.error(`${file}: imports ${imported}: ${why}`);
if (violations.length > 0) process.exit(1);
console.log('imports point one way');
