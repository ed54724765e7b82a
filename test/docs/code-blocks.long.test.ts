import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { fencedBlocks } from './fenced-blocks.ts';
import { pageScript } from './page-script.ts';
import { runPage } from './run-page.ts';

const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const only = process.env.PERIGEE_TEST_PAGE;
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  'examples/README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
]
  .filter((page) => only === undefined || page.includes(only))
  .sort();
const blocksOf = (page: string) => fencedBlocks(readFileSync(join(ROOT, page), 'utf8'));
const { skip } = kubectlBinary();

suite('every code block of the pages works', { skip, concurrency: 3 }, () => {
  for (const page of pages) {
    const blocks = blocksOf(page);
    if (blocks.length === 0) continue;
    test(page, { timeout: 180_000 }, async ({ signal }) => {
      const { code, output } = await runPage(pageScript(blocks, ROOT), ROOT, signal);
      assert.equal(code, 0, `${page}:\n${output}`);
    });
  }
});

test('TypeScript on the pages has no type errors', { skip: only !== undefined }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-pages-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const page of pages) {
      for (const [name, code] of Object.entries(pageScript(blocksOf(page), ROOT).files)) {
        if (name.endsWith('.ts'))
          writeFileSync(join(folder, `${page.replaceAll('/', '-')}-${name}`), code);
      }
    }
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
    );
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
