import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LONGEST_MS = 240_000;
const SDK = 'fluid-pysdk==1.0.4';
/** The SDK was written for the client of Kubernetes as it was then: that of today refuses its objects. */
const PACKAGES = [SDK, 'kubernetes==29.0.0'];
/** Kept, as to fetch it takes longer than the tests. */
const CACHE = join(homedir(), '.cache/perigee', PACKAGES.join(' ').replace(/[^a-z0-9.]+/g, '-'));
const SOURCES = `${CACHE}-sources`;

/** Where Python finds the SDK. */
export const PYTHONPATH = CACHE;

const python = (...args: readonly string[]) =>
  spawnSync('python3', args, {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    env: { ...process.env, PYTHONPATH },
  });
const pip = (command: string, ...args: readonly string[]) =>
  python('-m', 'pip', command, '--quiet', '--disable-pip-version-check', ...args);

/** Installs the SDK into a folder of its own, once; says why where it cannot be had. */
export const whyNoFluid = (): string | undefined => {
  if (python('-c', 'import fluid').status === 0) return undefined;
  if (pip('--version').status !== 0) return 'python3 with pip is not here';
  const { status, stderr } = pip('install', '--upgrade', '--target', CACHE, ...PACKAGES);
  return status === 0
    ? undefined
    : `pip cannot install ${PACKAGES.join(', ')}: ${stderr.slice(-300)}`;
};

const examplesIn = (folder: string): string | undefined =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((name) => join(folder, name, 'examples/01_fluidapis'))
        .find(existsSync)
    : undefined;

/** The folder of the first examples, as the package ships them in its sources; nothing where they cannot be had. */
export const fluidExamples = (): string | undefined => {
  const known = examplesIn(SOURCES);
  if (known !== undefined) return known;
  mkdirSync(SOURCES, { recursive: true });
  if (pip('download', '--no-deps', '--no-binary', ':all:', '--dest', SOURCES, SDK).status !== 0) {
    return undefined;
  }
  const archive = readdirSync(SOURCES).find((name) => name.endsWith('.tar.gz'));
  if (archive === undefined) return undefined;
  spawnSync('tar', ['-xzf', archive], { cwd: SOURCES });
  return examplesIn(SOURCES);
};
