import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { builtinResources } from '../src/builtin-resources.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const SRC = join(ROOT, 'packages/kubernetes/src');

const isKind = (value: unknown): value is ResourceKind =>
  typeof value === 'object' && value !== null && 'plural' in value;

const modules: readonly object[] = await Promise.all(
  globSync('**/*.ts', { cwd: SRC }).map((file) => import(join(SRC, file))),
);
const declared = modules.flatMap((exported) => Object.values(exported).filter(isKind));

test('every kind has the names by which an API server serves it', () => {
  const served = builtinResources();
  assert.ok(declared.length > 0);
  for (const { group, version, kind, plural, scope } of declared) {
    const found = served.find(
      (one) => one.group === group && one.version === version && one.kind === kind,
    );
    const names = { plural: found?.plural, scope: found?.scope };
    assert.deepEqual(names, { plural, scope }, kind);
  }
});

const DECLARATION =
  /group: '([^']*)',\s*version: '\w+',\s*kind: '(\w+)',\s*plural: '\w+',\s*scope:/g;

test('nobody declares a built-in kind a second time', () => {
  const known = new Set(declared.map(({ group, kind }) => `${group}/${kind}`));
  const files = globSync('{packages/*/{src,test},bench,test,tools}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.startsWith('packages/kubernetes/'),
  );
  assert.ok(files.length > 0);
  for (const file of files) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    for (const [, group, kind] of source.matchAll(DECLARATION)) {
      assert.ok(!known.has(`${group}/${kind}`), `${file} declares ${kind}`);
    }
  }
});
