import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

const npm = (args: readonly string[], cwd: string): void => {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
};

/** Makes a project that has installed the SDK as it is published. */
export const installPackage = (project: string): void => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  npm(['run', '-s', 'sdk', '--', '--pack-destination', project], ROOT);
  const [tarball] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  npm(['install', '--offline', `./${tarball}`], project);
};
