import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const LONGEST_MS = 240_000;
const SDK = 'fluid-pysdk==1.0.4';
/** The SDK was written for the client of Kubernetes as it was then: that of today refuses its objects. */
const PACKAGES = [SDK, 'kubernetes==29.0.0'];
/** Kept, as to fetch it takes longer than the tests. */
const CACHE = join(homedir(), '.cache/perigee', PACKAGES.join(' ').replace(/[^a-z0-9.]+/g, '-'));
const SOURCES = `${CACHE}-sources`;

/** Search path with which Python imports the SDK. */
export const PYTHONPATH = CACHE;

const python = (...args: readonly string[]) =>
  spawnSync('python3', args, {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    env: { ...process.env, PYTHONPATH },
  });
const pip = (command: string, ...args: readonly string[]) =>
  python('-m', 'pip', command, '--quiet', '--disable-pip-version-check', ...args);

/** Fills a folder that is seen only when it is whole: another test may fetch the same at the same time. */
const fillOnce = (folder: string, fill: (fresh: string) => string | undefined) => {
  if (existsSync(folder)) return undefined;
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const problem = fill(fresh);
    if (problem === undefined) renameSync(fresh, folder);
    return problem;
  } catch (error) {
    // Another process was first.
    if (existsSync(folder)) return undefined;
    throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
};

/** Installs the SDK into a folder of its own, once; says why where it cannot be had. */
export const whyNoFluid = (): string | undefined =>
  fillOnce(CACHE, (fresh) => {
    if (pip('--version').status !== 0) return 'python3 with pip is not here';
    const { status, stderr } = pip('install', '--target', fresh, ...PACKAGES);
    return status === 0
      ? undefined
      : `pip cannot install ${PACKAGES.join(', ')}: ${stderr.slice(-300)}`;
  });

const examplesIn = (folder: string): string | undefined =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((name) => join(folder, name, 'examples/01_fluidapis'))
        .find(existsSync)
    : undefined;

/** The folder of the first examples, as the package ships them in its sources; nothing where they cannot be had. */
export const fluidExamples = (): string | undefined => {
  fillOnce(SOURCES, (fresh) => {
    const download = pip('download', '--no-deps', '--no-binary', ':all:', '--dest', fresh, SDK);
    const archive = readdirSync(fresh).find((name) => name.endsWith('.tar.gz'));
    if (download.status !== 0 || archive === undefined) return 'the sources cannot be fetched';
    return spawnSync('tar', ['-xzf', archive], { cwd: fresh }).status === 0
      ? undefined
      : 'the sources cannot be unpacked';
  });
  return examplesIn(SOURCES);
};
