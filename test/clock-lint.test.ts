import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '..');

const forbidden = [
  'Date.now()',
  'new Date()',
  'new Date',
  'new Date(Date.now())',
  'Date()',
  'Date',
  "Date['now']()",
  '(({ now }) => now())(Date)',
  'setTimeout(() => {}, 1)',
  'setInterval(() => {}, 1)',
  'setImmediate(() => {})',
  '[1].map(setTimeout)',
  '{ setTimeout }',
  'globalThis.setTimeout(() => {}, 1)',
  'globalThis.Date.now()',
  'globalThis.crypto.randomUUID()',
  'Math.random()',
  'Math.random',
  '(({ random }) => random())(Math)',
  'performance.now()',
  'performance.timeOrigin',
  'process.hrtime.bigint()',
  'process.uptime()',
  'AbortSignal.timeout(5)',
  'crypto.randomUUID()',
  'crypto.getRandomValues(new Uint8Array(1))',
].map((expression) => `export const value = ${expression};\n`);

const forbiddenModules = [
  'export const { now } = Date;\n',
  'export const { random: chance } = Math;\n',
  'export const { hrtime } = process;\n',
  "import { randomUUID } from 'node:crypto';\nexport const value = randomUUID();\n",
  "import { randomUUID as name } from 'node:crypto';\nexport const value = name();\n",
  "import { randomBytes } from 'node:crypto';\nexport const value = randomBytes(4);\n",
  "import { setTimeout as sleep } from 'node:timers/promises';\nexport const value = sleep(4);\n",
  "import { performance as steady } from 'node:perf_hooks';\nexport const value = steady.now();\n",
];

const allowedSources = [
  'export const value = new Date(5).toISOString();\n',
  'export const value = Date.UTC(2026, 0);\n',
  "export const value = Date.parse('2026-01-01T00:00:00Z');\n",
  'export const value = (date: unknown): date is Date => date instanceof Date;\n',
  'export const value = Math.max(1, Math.floor(Math.PI));\n',
  'export const value = (signal: AbortSignal) => AbortSignal.any([signal]);\n',
  'export const value = (clock: { now(): number }) => clock.now();\n',
  'export const value = (server: { setTimeout(ms: number): void }) => server.setTimeout(5);\n',
  "import { createHash } from 'node:crypto';\nexport const value = createHash('sha256');\n",
];

/** Lints the files with the project's own configuration; gives the paths that break its clock rules. */
const lint = (files: { readonly [path: string]: string }): ReadonlySet<string> => {
  const workspace = mkdtempSync(join(tmpdir(), 'clock-lint-'));
  try {
    cpSync(join(root, 'biome.json'), join(workspace, 'biome.json'));
    cpSync(join(root, 'tools', 'lint'), join(workspace, 'tools', 'lint'), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    }
    const { stdout, stderr } = spawnSync(
      join(root, 'node_modules', '.bin', 'biome'),
      ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', 'packages'],
      { cwd: workspace, encoding: 'utf8' },
    );
    assert.match(stdout, /^\{/, stderr);
    const { diagnostics }: { readonly diagnostics: readonly Diagnostic[] } = JSON.parse(stdout);
    return new Set(
      diagnostics
        .filter(
          ({ category }) => category === 'plugin' || category === 'lint/style/noRestrictedImports',
        )
        .map(({ location }) => location.path),
    );
  } finally {
    rmSync(workspace, { recursive: true });
  }
};

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string };
}

const pathOf = (folder: string, index: number) => `packages/kube/src/${folder}/example-${index}.ts`;
const bad = [...forbidden, ...forbiddenModules];

describe('the lint rule for time and chance', () => {
  const flagged = lint({
    ...Object.fromEntries(bad.map((text, index) => [pathOf('bad', index), text])),
    ...Object.fromEntries(allowedSources.map((text, index) => [pathOf('good', index), text])),
    'packages/kube/src/clock/real-clock.ts':
      'export const value = () => Date.now() + Math.random();\n',
    'packages/kube/src/clock/deadline.ts': 'export const value = Date.now();\n',
    'packages/kube/test/example.ts': 'export const value = Date.now();\n',
  });

  test('flags every way to reach the wall clock, timers and chance', () => {
    for (const [index, text] of bad.entries()) {
      assert.ok(flagged.has(pathOf('bad', index)), `not flagged: ${text}`);
    }
  });

  test('leaves alone what depends on its arguments only', () => {
    for (const [index, text] of allowedSources.entries()) {
      assert.ok(!flagged.has(pathOf('good', index)), `flagged: ${text}`);
    }
  });

  test('makes an exception for the clocks, and for nothing beside them', () => {
    assert.ok(!flagged.has('packages/kube/src/clock/real-clock.ts'));
    assert.ok(flagged.has('packages/kube/src/clock/deadline.ts'));
    assert.ok(!flagged.has('packages/kube/test/example.ts'));
  });
});
