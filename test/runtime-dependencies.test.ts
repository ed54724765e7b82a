import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly devOptional?: boolean;
}

const lockfile = JSON.parse(read('package-lock.json'));
const record = read('docs/decisions/0003-runtime-dependencies.md');

/** Packages with nothing but another package's binary for one platform. */
const CARRIES_A_BINARY = /^@(lmdb|msgpackr-extract)\//;

/** Every package from outside that a user of Perigee gets installed, its dependencies included. */
const installedForUsers = Object.entries<Locked>(lockfile.packages)
  .filter(
    ([path, entry]) =>
      path.includes('node_modules/') && !entry.dev && !entry.devOptional && !entry.link,
  )
  .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  .filter((name) => !CARRIES_A_BINARY.test(name));

test('each runtime dependency is named in the decision record, with why it is there', () => {
  const recordNames = [...record.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name ?? '');
  assert.deepEqual(installedForUsers.toSorted(), recordNames.toSorted());
});

test('versions are pinned', () => {
  for (const path of [
    'package.json',
    ...globSync('{packages/*,bench,tools}/package.json', { cwd: root }),
  ]) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(path));
    for (const [name, range] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      assert.match(String(range), /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${path}: ${name} is not pinned`);
    }
  }
});

test('the lockfile holds no download addresses', () => {
  assert.doesNotMatch(read('package-lock.json'), /https?:\/\/[^"]*\.tgz/);
});

test('every package in the lockfile has its checksum', () => {
  const fromOutside = Object.entries<Locked>(lockfile.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );
  const unchecked = fromOutside
    .filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => path);
  assert.deepEqual(unchecked, []);
  const addressed = fromOutside.filter(([, { resolved }]) => resolved !== undefined);
  assert.deepEqual(addressed, []);
});

test('no package runs a script when it is installed, with any npm', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m);
  assert.match(read('perigee'), /npm ci "\$omit" --ignore-scripts /);
  const { allowScripts = {} } = JSON.parse(read('package.json'));
  const deniedNames = Object.keys(allowScripts).filter((name) => allowScripts[name] === false);
  const scripted = Object.entries<{ hasInstallScript?: boolean }>(lockfile.packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.replace('node_modules/', ''));
  assert.deepEqual(scripted.toSorted(), deniedNames.toSorted());
});

test('the lockfile has the optional packages of every platform (else: npx node tools/complete-lockfile.ts)', () => {
  const packages: { [path: string]: { optionalDependencies?: object } } = lockfile.packages;
  const missingNames = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => packages[`node_modules/${name}`] === undefined);
  assert.deepEqual(missingNames, []);
});
