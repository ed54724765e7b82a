import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { runFiles } from '../../test/run-files.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { PEER_TESTS, PEER_VARIABLES, type PeerVariable } from './peer-tests.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** `build.sh` makes these. */
const PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'karmada-scheduler',
  'karmada-controller-manager',
  'karmada-webhook',
  'karmada-scheduler-estimator',
  'volcano-scheduler',
  'volcano-controllers',
];

const print = (text: string): void => {
  process.stderr.write(`test:peers: ${text}\n`);
};

const goOnPath = (): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'go'))
    .find((path) => existsSync(path));

const missingFrom = (folder: string): readonly string[] =>
  PROGRAMS.filter((name) => !existsSync(join(folder, name)));

/** Builds what is missing. A peer that cannot be built leaves out its own tests only. */
const buildMissing = (folder: string): void => {
  for (const name of missingFrom(folder)) {
    const buildRun = spawnSync(join(ROOT, 'tools/peers/build.sh'), [folder, name], {
      stdio: ['ignore', 2, 2],
    });
    if (buildRun.status !== 0) print(`${name} cannot be built; its tests are skipped`);
  }
};

/** Variables for the present peers, without those that are set already. */
const variablesOf = (
  folder: string,
  plane: ControlPlane | undefined,
): { readonly [name in PeerVariable]: string | undefined } => {
  const program = (name: string) =>
    existsSync(join(folder, name)) ? join(folder, name) : undefined;
  return {
    PERIGEE_TEST_KUBECONFIG: plane?.kubeconfig,
    PERIGEE_TEST_KUBE_CONTROLLER_MANAGER: program('kube-controller-manager'),
    PERIGEE_TEST_GO: goOnPath(),
    PERIGEE_TEST_KARMADA: folder,
    PERIGEE_TEST_KARMADA_SCHEDULER: program('karmada-scheduler'),
    PERIGEE_TEST_KARMADA_ESTIMATOR: program('karmada-scheduler-estimator'),
    PERIGEE_TEST_VOLCANO: folder,
  };
};

const [given = 'node_modules/.cache/perigee-peers', ...names] = process.argv.slice(2);
const folder = resolve(given);
const unknown = names.filter((name) => !PEER_VARIABLES.includes(name as PeerVariable));
if (given.startsWith('-') || unknown.length > 0) {
  console.error('usage: npm run test:peers [-- FOLDER [VARIABLE…]]');
  console.error('FOLDER has the programs of tools/peers/build.sh; what is missing is built there.');
  console.error(`Of the tests, those of these variables run: ${PEER_VARIABLES.join(', ')}`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
if (missingFrom(folder).length > 0 && goOnPath() === undefined) {
  print(`there is no go on the PATH to build ${missingFrom(folder).join(', ')}`);
} else {
  buildMissing(folder);
}
// The peers end when this process exits, which by itself a signal does not let it do.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}
const hasServer = ['etcd', 'kube-apiserver'].every((name) => existsSync(join(folder, name)));
await using plane =
  hasServer && process.env.PERIGEE_TEST_KUBECONFIG === undefined
    ? await startControlPlane(folder, { isDurable: false })
    : undefined;
for (const [name, value] of Object.entries(variablesOf(folder, plane))) {
  if (value !== undefined) process.env[name] ??= value;
}
const askedVariables = names.length > 0 ? (names as readonly PeerVariable[]) : PEER_VARIABLES;
// One after the other: most of them share the server, and count what is there.
await runFiles(
  askedVariables.flatMap((name) => PEER_TESTS[name]),
  1,
);
