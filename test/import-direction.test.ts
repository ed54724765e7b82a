import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { folderProblems } from '../tools/folder-order.ts';
import { findImportViolations } from '../tools/import-direction.ts';
import { doorProblems, findDoors, writeDoors } from '../tools/package-doors.ts';

const repository = new URL('..', import.meta.url).pathname;

const houseWith = (files: { readonly [path: string]: string }): string => {
  const root = mkdtempSync(join(tmpdir(), 'perigee-imports-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
};

const violationsOf = (files: { readonly [path: string]: string }): readonly string[] => {
  const root = houseWith(files);
  try {
    return findImportViolations(root).map(({ imported, why }) => `${imported}: ${why}`);
  } finally {
    rmSync(root, { recursive: true });
  }
};

const manifest = (dependencies: object): string => JSON.stringify({ dependencies });

test('the repository imports in one direction', () => {
  assert.deepEqual(findImportViolations(repository), []);
});

test('an import against the direction is found, however it is written', () => {
  const files = {
    'packages/scheduling/package.json': manifest({ '@perigee/kube': '0.1.0' }),
    'packages/scheduling/src/a.ts': "import type { Clock } from '@perigee/kube/clock/clock';",
    'packages/scheduling/src/b.ts': "export const kube = () => import('@perigee/kube/errors');",
    'packages/scheduling/src/c.ts': "import {\n  x,\n} from '../../kube/src/errors.ts';",
  };
  assert.deepEqual(violationsOf(files), [
    '@perigee/kube/clock/clock: scheduling may not import kube',
    '@perigee/kube/errors: scheduling may not import kube',
    '../../kube/src/errors.ts: a relative import may not leave the package',
  ]);
});

test('an undeclared dependency and an unknown package are found', () => {
  const files = {
    'packages/kube/package.json': manifest({ undici: '1.0.0' }),
    'packages/kube/src/a.ts':
      "import 'node:fs';\nimport { Agent } from 'undici';\nimport 'left-pad';",
    'packages/novel/package.json': manifest({}),
    'packages/novel/src/a.ts': '',
  };
  assert.deepEqual(violationsOf(files), [
    'left-pad: left-pad is not among the dependencies in packages/kube/package.json',
    ': packages/novel has no place in the order of packages yet',
  ]);
});

test('the machinery of the API server may not import kinds, but the folders that compose it may', () => {
  const kinds = "import { Queue } from '@perigee/api/kinds/queues/queue';";
  const files = {
    'packages/apiserver/package.json': manifest({ '@perigee/api': '0.1.0' }),
    'packages/apiserver/src/embedded/a.ts': kinds,
    'packages/apiserver/src/perigee/b.ts': kinds,
    'packages/apiserver/src/rbac/c.ts': `${kinds}\nimport '@perigee/api/meta/object-meta';`,
  };
  assert.deepEqual(violationsOf(files), [
    '@perigee/api/kinds/queues/queue: only perigee and embedded of apiserver may; the rest gets its kinds from these',
  ]);
});

test('every package exports what others import, and nothing else', () => {
  assert.deepEqual(doorProblems(findDoors(repository)), []);
});

/** Not written out, because this very file would count as one that imports it. */
const importOf = (path: string): string => `import '@perigee/kube/${path}';`;

test('an import past the exports of a package is found, and an export that nobody imports', () => {
  const root = houseWith({
    'packages/kube/package.json': JSON.stringify({ exports: { './errors': './src/errors.ts' } }),
    'packages/kube/test/own.test.ts': importOf('errors'),
    'packages/kube/src/client/client.ts': 'export const open = 1;',
    'docs/client.md': `${importOf('client/client')}\n${importOf('client/gone')}`,
  });
  try {
    assert.deepEqual(doorProblems(findDoors(root)), [
      'docs/client.md: imports @perigee/kube/client/gone: there is no such file',
      'docs/client.md: imports @perigee/kube/client/client, which packages/kube/package.json does not export',
      'packages/kube/package.json: exports ./errors, which no other package imports',
    ]);
    writeFileSync(join(root, 'packages/kube/src/client/gone.ts'), '');
    writeDoors(root);
    assert.deepEqual(doorProblems(findDoors(root)), []);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('folders import one another in the order of the house, and not in circles', () => {
  assert.deepEqual(folderProblems(repository), []);
  const root = houseWith({
    'packages/kube/src/clock/clock.ts': "import type { Client } from '../client/client.ts';",
    'packages/kube/src/client/client.ts': 'export interface Client {}',
    'packages/kube/src/novel/novel.ts': "import '../client/client.ts';",
    'packages/host/src/a/a.ts': "import '../b.ts';",
    'packages/host/src/b.ts': "export const a = () => import('./a/a.ts');",
  });
  try {
    assert.deepEqual(folderProblems(root), [
      'packages/host: folders import one another: a → b.ts → a',
      'packages/kube/src/clock/clock.ts: imports ../client/client.ts: clock may not import client',
      'packages/kube/src/novel/novel.ts: folder novel has no place in tools/folder-order.ts yet',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
