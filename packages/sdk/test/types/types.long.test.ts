import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** Each is wrong in one place, which the compiler has to find. */
const WRONG: { readonly [name: string]: readonly [code: string, why: RegExp] } = {
  'after-unknown': [
    "flow('f').load({ dataset: 'a' }).load({ name: 'b', dataset: 'a', after: 'laod' });",
    /laod/,
  ],
  'after-later': [
    "flow('f').load({ dataset: 'a', after: 'next' }).load({ name: 'next', dataset: 'a' });",
    /Predecessor<never>/,
  ],
  'join-unknown': [
    "flow('f').load({ dataset: 'a' }).process(() => 1, { after: ['load', 'lost'] });",
    /lost/,
  ],
  'name-twice': ["flow('f').load({ dataset: 'a' }).load({ dataset: 'a' });", /a step load already/],
  'name-given-twice': [
    "flow('f').load({ name: 'x', dataset: 'a' }).migrate({ name: 'x', from: 'a', to: 'b' });",
    /there is a step x already/,
  ],
  'dataset-undeclared': [
    "flow('f', { datasets: { raw: 'exists' } }).load({ dataset: 'rwa' });",
    /rwa/,
  ],
  'place-undeclared': [
    "flow('f', { datasets: { raw: 'exists' } }).migrate({ from: 'rwa', to: 'raw' });",
    /rwa/,
  ],
  'product-undeclared': [
    "flow('f', { datasets: { raw: 'exists' } }).process(() => 1, { dataset: 'raw', produces: ['made'] }).load({ dataset: 'maid' });",
    /maid/,
  ],
  'field-unknown': ["flow('f').load({ dataset: 'a', bakcoffLimit: 1 });", /bakcoffLimit/],
  'wrong-kind': [
    "flow('f').load({ dataset: 'a', after: { kind: 'Dataload', name: 'x' } });",
    /Dataload/,
  ],
  'logs-unknown': [
    "void flow('f').load({ dataset: 'a' }).run().then((run) => run.logs('laod'));",
    /laod/,
  ],
  'context-unknown': ["flow('f').process(({ dta }) => dta, { dataset: 'a' });", /dta/],
};

/** What a user has: the package as it is published, and a compiler with its usual settings. */
describe('the types of the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-sdk-types-'));
  let errors = '';

  before(() => {
    const npm = (args: readonly string[], cwd: string) => {
      const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
      assert.equal(status, 0, `${stdout}${stderr}`);
    };
    npm(['run', '-s', 'sdk', '--', '--pack-destination', folder], ROOT);
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    npm(['install', '--offline', `./${tarball}`], folder);
    mkdirSync(join(folder, 'src'));
    copyFileSync(join(import.meta.dirname, 'right.ts'), join(folder, 'src/right.ts'));
    for (const [name, [code]] of Object.entries(WRONG)) {
      writeFileSync(
        join(folder, `src/${name}.ts`),
        `import { flow } from '@perigee/sdk';\n${code}\n`,
      );
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['src'] }),
    );
    ({ stdout: errors } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
      cwd: folder,
      encoding: 'utf8',
    }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const errorsIn = (name: string): string =>
    errors
      .split(/\n(?=\S)/)
      .filter((error) => error.startsWith(`src/${name}.ts`))
      .join('\n');

  it('take what is right, and have no errors themselves', () => {
    assert.equal(errorsIn('right'), '');
    assert.deepEqual(
      errors.split(/\n(?=\S)/).filter((line) => line !== '' && !line.startsWith('src/')),
      [],
    );
  });

  for (const [name, [, why]] of Object.entries(WRONG)) {
    it(`refuse ${name.replaceAll('-', ' ')}`, () => assert.match(errorsIn(name), why));
  }
});
