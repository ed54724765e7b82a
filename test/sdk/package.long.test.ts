import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openFolder, type PerigeeProcess, startUp } from '../placement/perigee-process.ts';
import { compileAll } from './compile.ts';
import { installPackage, ROOT } from './installed-package.ts';
import { WRONG } from './wrong-references.ts';

const LONGEST_MS = 180_000;
/** The oldest Node.js that the package is for, where the machine has it. */
const MACHINES_OWN = '/usr/bin/node';
const node = existsSync(MACHINES_OWN) ? MACHINES_OWN : process.execPath;

/** In a project that has installed what is published. */
describe('the SDK, installed as it is packed', () => {
  const folder = openFolder();
  const project = join(folder.path, 'project');
  const samples = join(folder.path, 'samples');
  let up: PerigeeProcess;

  before(async () => {
    mkdirSync(samples);
    installPackage(project);
    writeFileSync(
      join(samples, 'numbers.txt'),
      Array.from({ length: 1000 }, (_, at) => `${at + 1}\n`).join(''),
    );
    const options = ['--port', '0', '--nodes', '1', '--run-processes', '--host-path', samples];
    up = await startUp(join(folder.path, 'data'), ...options);
  });
  after(async () => {
    await up[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const run = async (example: string, ...args: readonly string[]): Promise<string> => {
    copyFileSync(join(ROOT, 'examples/sdk', example), join(project, example));
    const env = {
      ...process.env,
      KUBECONFIG: join(folder.path, 'data/kubeconfig'),
      NODE_OPTIONS: '',
    };
    const options = { cwd: project, env, timeout: LONGEST_MS };
    return (await promisify(execFile)(node, [example, ...args], options)).stdout;
  };

  it('trains with functions as steps, on real bytes', async (t) => {
    if (up.said().includes('isolation of these processes: none')) {
      return t.skip('this machine gives processes no file system of their own');
    }
    const printed = await run('train.js', samples);
    assert.match(printed, /^fetch +DataMigrate +- +member\d +WhereRoomIs/m);
    assert.match(printed, /^report +DataProcess +half, quarter +member\d +WhereDatasetIs/m);
    const last = printed.trim().split('\n').slice(-5);
    assert.deepEqual(last, [
      'Complete: 6 of 6 steps complete',
      'prepare: {"samples":1000}',
      'half: 250.5',
      'quarter: 125.5',
      'report: report: both are there',
    ]);
  });

  it('registers a cluster, makes a queue, claims data and fires a trigger', async () => {
    const printed = await run('claim-and-queue.js');
    assert.match(printed, /^the claim has orders$/m);
    assert.match(printed, /^placed afresh: 0$/m);
    assert.match(printed, /^clusters: edge member1/m);
  });

  describe('its types', () => {
    let errors: readonly string[] = [];
    const errorsIn = (name: string): string =>
      errors.filter((error) => error.startsWith(`src/${name}.ts`)).join('\n');

    before(() => {
      errors = compileAll(project);
    });

    it('take what is right, and have no errors themselves', () => {
      assert.equal(errorsIn('right'), '');
      assert.deepEqual(
        errors.filter((error) => !error.startsWith('src/')),
        [],
      );
    });

    for (const [name, [, why]] of Object.entries(WRONG)) {
      it(`refuse ${name.replaceAll('-', ' ')}`, () => assert.match(errorsIn(name), why));
    }
  });
});
