import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { builtinResources } from '@perigee/apiserver/builtin/builtin-resources';

const SRC = new URL('../src', import.meta.url).pathname;

const isKind = (value: unknown): value is ResourceKind =>
  typeof value === 'object' && value !== null && 'plural' in value;

const declared = await Promise.all(
  globSync('**/*.ts', { cwd: SRC }).map(async (file) => {
    const exported: object = await import(join(SRC, file));
    return Object.values(exported).filter(isKind);
  }),
);

test('every kind has the names by which an API server serves it', () => {
  const served = builtinResources();
  const kinds = declared.flat();
  assert.ok(kinds.length > 0);
  for (const { group, version, kind, plural, scope } of kinds) {
    const found = served.find(
      (one) => one.group === group && one.version === version && one.kind === kind,
    );
    const names = { plural: found?.plural, scope: found?.scope };
    assert.deepEqual(names, { plural, scope }, kind);
  }
});
