import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openFolder, startUp } from '../placement/perigee-process.ts';

const LONGEST_MS = 240_000;
/** The SDK was written for the client of Kubernetes as it was then: that of today refuses its objects. */
const PACKAGES = ['fluid-pysdk==1.0.4', 'kubernetes==29.0.0'];
/** Kept, as to fetch it takes longer than the test. */
const CACHE = join(homedir(), '.cache/perigee', PACKAGES.join(' ').replace(/[^a-z0-9.]+/g, '-'));

/** Installs the SDK into a folder of its own, once; says why where it cannot be had. */
const unavailable = (): string | undefined => {
  const python = (...args: readonly string[]) =>
    spawnSync('python3', args, {
      encoding: 'utf8',
      timeout: LONGEST_MS,
      env: { ...process.env, PYTHONPATH: CACHE },
    });
  if (python('-c', 'import fluid').status === 0) return undefined;
  if (python('-m', 'pip', '--version').status !== 0) return 'python3 with pip is not here';
  const options = ['--quiet', '--disable-pip-version-check', '--upgrade', '--target', CACHE];
  const { status, stderr } = python('-m', 'pip', 'install', ...options, ...PACKAGES);
  return status === 0
    ? undefined
    : `pip cannot install ${PACKAGES.join(', ')}: ${stderr.slice(-300)}`;
};

describe('the SDK of Fluid for Python, unmodified', () => {
  it('makes a dataset, loads it, runs a flow on it, and removes it', {
    timeout: LONGEST_MS * 2,
  }, async (t) => {
    const why = unavailable();
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
    const env = { ...process.env, PYTHONPATH: CACHE, KUBECONFIG: join(data, 'kubeconfig') };
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
