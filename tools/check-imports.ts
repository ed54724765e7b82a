import { folderProblems } from './folder-order.ts';
import { findImportViolations } from './import-direction.ts';
import { doorProblems, findDoors, writeDoors } from './package-doors.ts';

const root = new URL('..', import.meta.url).pathname;
if (process.argv.includes('--write')) writeDoors(root);
const problems = [
  ...findImportViolations(root).map(
    ({ file, imported, why }) => `${file}: imports ${imported}: ${why}`,
  ),
  ...folderProblems(root),
  ...doorProblems(findDoors(root)),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('npm run imports -- --write brings the exports of all packages up to date');
  process.exit(1);
}
console.log('imports point one way, and through the doors');
