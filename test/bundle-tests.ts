import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const FILES_PER_PROCESS = 12;

/** Tests of these leave nothing behind that another would wait for. */
const BUNDLED = [
  'admission',
  'api',
  'apiserver',
  'controllers',
  'kube',
  'member',
  'scheduling',
  'schema',
];

/** A hook of a whole file would be one of its neighbours, too, and what it awaits would hold them up. */
const NEEDS_A_PROCESS = /^(before|after|beforeEach|afterEach)\(|^(const .*= )?await /m;

const root = resolve(import.meta.dirname, '..');
/** Below node_modules the test runner would pass over them without a word. */
const folder = join(root, '.bundled-tests');

const findTests = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith('.long.test.ts'))
    .map((file) => join(root, file))
    .sort();

const isAlone = (file: string): boolean => NEEDS_A_PROCESS.test(readFileSync(file, 'utf8'));

const writeBundle = (name: string, files: readonly string[]): string => {
  const path = join(folder, `${name}.test.mjs`);
  const lines = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});\n`);
  writeFileSync(path, lines.join(''));
  return path;
};

const bundle = (name: string, files: readonly string[]): readonly string[] => {
  const starts = files.keys().filter((index) => index % FILES_PER_PROCESS === 0);
  return [...starts].map((start) =>
    writeBundle(`${name}-${start}`, files.slice(start, start + FILES_PER_PROCESS)),
  );
};

const isBundled = (file: string): boolean =>
  BUNDLED.includes(relative(join(root, 'packages'), file).split(sep)[0] ?? '') && !isAlone(file);

/**
 * Puts test files of a package together, so that a process runs several of them: to import a server
 * anew for each of 500 files takes longer than what they test. Returns the files to be run.
 */
export const bundleTests = (): readonly string[] => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const ofPackages = findTests('packages/*/test/**/*.test.ts');
  const bundles = BUNDLED.flatMap((name) =>
    bundle(
      name,
      ofPackages.filter(
        (file) => file.startsWith(join(root, 'packages', name, sep)) && isBundled(file),
      ),
    ),
  );
  const alone = ofPackages.filter((file) => !isBundled(file));
  return [...bundles, ...findTests('test/**/*.test.ts'), ...alone].map((file) =>
    relative(root, file),
  );
};
