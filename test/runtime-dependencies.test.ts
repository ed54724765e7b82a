import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly devOptional?: boolean;
}

const lockfile = JSON.parse(read('package-lock.json'));
const record = read('docs/decisions/0003-runtime-dependencies.md');

/** Every package from outside that a user of Perigee gets installed, its dependencies included. */
const installedForUsers = Object.entries<Locked>(lockfile.packages)
  .filter(
    ([path, entry]) =>
      path.includes('node_modules/') && !entry.dev && !entry.devOptional && !entry.link,
  )
  .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));

test('each runtime dependency is named in the decision record, with why it is there', () => {
  const named = [...record.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name ?? '');
  assert.deepEqual(installedForUsers.toSorted(), named.toSorted());
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

test('no runtime dependency needs an install script', () => {
  const scripted = Object.entries<{ hasInstallScript?: boolean }>(lockfile.packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path);
  assert.deepEqual(scripted, []);
});

test('the lockfile has the optional packages of every platform (else: npx node tools/complete-lockfile.ts)', () => {
  const packages: { [path: string]: { optionalDependencies?: object } } = lockfile.packages;
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => packages[`node_modules/${name}`] === undefined);
  assert.deepEqual(missing, []);
});
