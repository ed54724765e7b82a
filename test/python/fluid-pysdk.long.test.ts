import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openFolder, startUp } from '../placement/perigee-process.ts';
import { PYTHONPATH, whyNoFluid } from './fluid-package.ts';

const LONGEST_MS = 240_000;

describe('the SDK of Fluid for Python, unmodified', () => {
  it('makes a dataset, loads it, runs a flow on it, and removes it', {
    timeout: LONGEST_MS * 2,
  }, async (t) => {
    const why = whyNoFluid();
    if (why !== undefined) return t.skip(why);
    using folder = openFolder();
    const [samples, target] = ['samples', 'target'].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    mkdirSync(samples);
    mkdirSync(target);
    // Pods do not act as whoever runs this test.
    chmodSync(target, 0o777);
    writeFileSync(join(samples, 'numbers.txt'), '1\n2\n3\n');
    const data = join(folder.path, 'data');
    const paths = ['--host-path', samples, '--host-path', target];
    await using up = await startUp(
      data,
      '--port',
      '0',
      '--nodes',
      '1',
      '--run-processes',
      ...paths,
    );
    if (up.said().includes('isolation of these processes: none')) {
      return t.skip('this machine gives processes no file system of their own');
    }
    const env = { ...process.env, PYTHONPATH, KUBECONFIG: join(data, 'kubeconfig') };
    const program = join(import.meta.dirname, 'flow.py');
    const { stdout } = await promisify(execFile)('python3', [program, samples, target], {
      env,
      timeout: LONGEST_MS,
    });
    assert.deepEqual(stdout.trim().split('\n'), [
      'bound: Bound',
      'cached: 100.0%',
      "counting: ['Complete', 'Complete', 'Complete']",
      'gone',
    ]);
    assert.equal(readFileSync(join(target, 'numbers.txt'), 'utf8'), '1\n2\n3\n');
  });
});
