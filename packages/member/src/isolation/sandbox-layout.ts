import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { mountFlags } from './mount-flags.ts';
import { SYSTEM_PATH } from './system-tools.ts';

/** A folder or file of this machine, and where a process finds it. */
export interface Bind {
  readonly from: string;
  readonly to: string;
}

/** Three words for the script: what is done, with what, and where. */
type Step = readonly [string, string, string];

/** Where a process finds the files of its pod. */
export const POD_FILES = '/perigee';

/** Where it finds the Node.js that runs this. The own place of that may be below a folder that the pod has for itself. */
export const PROGRAMS = '/perigee/bin';
export const SANDBOX_NODE = `${PROGRAMS}/node`;

const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].map((name) => `/${name}`);
const SYSTEM_TREES = ['/usr', '/etc', '/opt', '/nix', '/gnu'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`);
const DEVICE_LINKS: readonly Step[] = [
  ['link', '/proc/self/fd', '/dev/fd'],
  ['link', '/proc/self/fd/0', '/dev/stdin'],
  ['link', '/proc/self/fd/1', '/dev/stdout'],
  ['link', '/proc/self/fd/2', '/dev/stderr'],
];

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** The folders of a `PATH` that a process sees, and Node.js. The others would only tell where the operator has what. */
export const seenPath = (path: string): string => {
  const folders = [...SYSTEM_FOLDERS, ...SYSTEM_TREES];
  const seen = path.split(':').filter((entry) => folders.some((folder) => isBelow(entry, folder)));
  return [...seen, PROGRAMS].join(':');
};

const readStep = (path: string, mountinfo: string, at = path): Step => {
  const flags = mountFlags(mountinfo, path).map((flag) => `,${flag}`);
  return [`read${flags.join('')}`, path, at];
};

const systemSteps = (mountinfo: string): readonly Step[] =>
  [...SYSTEM_FOLDERS, ...SYSTEM_TREES].flatMap((path): readonly Step[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink()
      ? [['link', readlinkSync(path), path]]
      : [readStep(path, mountinfo)];
  });

const existing = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

/** Folders of the operator that lie in a system folder. Those that programs are started from stay. */
const hideSteps = (folders: readonly string[], programs: readonly string[]): readonly Step[] =>
  folders
    .flatMap((folder) => existing(folder) ?? [])
    .filter((folder) => SYSTEM_TREES.some((tree) => isBelow(folder, tree)))
    .filter((folder) => !programs.some((program) => isBelow(program, folder)))
    .map((folder) => ['hide', '-', folder]);

/**
 * What a process sees of this machine, as steps for the script: its system, read-only, the program that
 * enters the sandbox, and nothing of the operator.
 */
export const machineSteps = (hidden: readonly string[]): readonly Step[] => {
  const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  const programs = SYSTEM_PATH.split(':').flatMap((folder) => existing(folder) ?? []);
  // Some systems keep it outside of /etc.
  const names = existing('/etc/resolv.conf');
  return [
    ...systemSteps(mountinfo),
    ...hideSteps([...hidden, homedir()], programs),
    ...DEVICES.map((path): Step => ['write', path, path]),
    ...DEVICE_LINKS,
    ['shared-memory', '-', '/dev/shm'],
    ...(names === undefined || isBelow(names, '/etc') ? [] : [readStep(names, mountinfo)]),
    readStep(process.execPath, mountinfo, SANDBOX_NODE),
  ];
};

/** The files of its pod. */
export const podSteps = (binds: readonly Bind[]): readonly Step[] =>
  binds.map(({ from, to }) => ['write', from, to]);
