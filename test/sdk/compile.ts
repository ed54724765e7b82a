import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './installed-package.ts';
import { WRONG } from './wrong-references.ts';

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
};

/** Compiles what is right and what is wrong in a project, with settings that many have; gives the errors, one by one. */
export const compileAll = (project: string): readonly string[] => {
  const folder = join(project, 'src');
  mkdirSync(folder);
  copyFileSync(join(import.meta.dirname, 'right.ts'), join(folder, 'right.ts'));
  for (const [name, [code]] of Object.entries(WRONG)) {
    writeFileSync(join(folder, `${name}.ts`), `import { flow } from '@perigee/sdk';\n${code}\n`);
  }
  const config = { compilerOptions: COMPILER_OPTIONS, include: ['src'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, ['-p', project], { cwd: project, encoding: 'utf8' });
  return stdout.split(/\n(?=\S)/).filter((error) => error !== '');
};
