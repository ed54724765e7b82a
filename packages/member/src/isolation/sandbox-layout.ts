import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { mountFlags, mountsBelow } from './mount-flags.ts';
import { SYSTEM_PATH } from './system-tools.ts';

/** Four words for the script: what is done, with what, where, and what that must be: `device:inode`, or `-`. */
export type Step = readonly [string, string, string, string];

/** Where a process finds the files of its pod. */
export const POD_FILES = '/perigee';

/** Where it finds the Node.js that runs this. The own place of that may be below a folder that the pod has for itself. */
export const PROGRAMS = '/perigee/bin';
export const SANDBOX_NODE = `${PROGRAMS}/node`;

/** Where the files of our programs are. */
const LIBRARIES = '/perigee/lib';

/** A program of ours that processes find on their `PATH`. */
export interface Program {
  readonly name: string;
  /** What is started, a file. */
  readonly launcher: string;
  /** What it is made of. */
  readonly folder: string;
}

/** The text of a launcher for a module of a program. */
export const launcherText = (name: string, module: string): string =>
  `#!/bin/sh\nexec ${SANDBOX_NODE} ${LIBRARIES}/${name}/${module} "$@"\n`;

/** Where the script makes what the command sees as its root. */
const VIEW = '/.view';

const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].map((name) => `/${name}`);
const SYSTEM_TREES = ['/usr', '/etc', '/opt', '/nix', '/gnu'];
/** What a process sees of the system, if it is there. */
export const SYSTEM: readonly string[] = [...SYSTEM_FOLDERS, ...SYSTEM_TREES];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`);
const DEVICE_LINKS: readonly Step[] = [
  ['link', '/proc/self/fd', '/dev/fd', '-'],
  ['link', '/proc/self/fd/0', '/dev/stdin', '-'],
  ['link', '/proc/self/fd/1', '/dev/stdout', '-'],
  ['link', '/proc/self/fd/2', '/dev/stderr', '-'],
];

export const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** The folders of a `PATH` that a process sees, and Node.js. The others would only tell where the operator has what. */
export const seenPath = (path: string): string => {
  const seen = path
    .split(':')
    .filter((entry) => SYSTEM.some((folder) => isAtOrBelow(entry, folder)));
  return [...seen, PROGRAMS].join(':');
};

const readStep = (path: string, mountinfo: string, at = path): Step => {
  const flags = mountFlags(mountinfo, path).map((flag) => `,${flag}`);
  return [`read${flags.join('')}`, path, at, '-'];
};

const systemSteps = (mountinfo: string): readonly Step[] =>
  SYSTEM.flatMap((path): readonly Step[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink()
      ? [['link', readlinkSync(path), path, '-']]
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
    .filter((folder) => SYSTEM_TREES.some((tree) => isAtOrBelow(folder, tree)))
    .filter((folder) => !programs.some((program) => isAtOrBelow(program, folder)))
    .map((folder) => ['hide', '-', folder, '-']);

export interface MachineSteps {
  /** Everything, in order. */
  readonly all: readonly Step[];
  /** What is done again when a system folder was mounted anew. */
  again(tree: string): readonly Step[];
}

/**
 * What a process sees of this machine, as steps for the script: its system, read-only, the program that
 * enters the sandbox, and nothing of the operator.
 */
export const machineSteps = (
  hidden: readonly string[],
  programs: readonly Program[],
): MachineSteps => {
  const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  const tools = SYSTEM_PATH.split(':').flatMap((folder) => existing(folder) ?? []);
  // Some systems keep it outside of /etc.
  const names = existing('/etc/resolv.conf');
  const hides = hideSteps([...hidden, homedir()], tools);
  const all: readonly Step[] = [
    ...systemSteps(mountinfo),
    ...hides,
    ...DEVICES.map((path): Step => ['write', path, path, '-']),
    ...DEVICE_LINKS,
    ['shared-memory', '-', '/dev/shm', '-'],
    ...(names === undefined || isAtOrBelow(names, '/etc') ? [] : [readStep(names, mountinfo)]),
    readStep(process.execPath, mountinfo, SANDBOX_NODE),
    ...programs.flatMap(({ name, launcher, folder }) => [
      readStep(launcher, mountinfo, `${PROGRAMS}/${name}`),
      readStep(folder, mountinfo, `${LIBRARIES}/${name}`),
    ]),
    ['processes', '-', '/proc', '-'],
    ['view', '-', VIEW, '-'],
  ];
  return {
    all,
    again: (tree) => [
      ...mountsBelow(mountinfo, tree).map((path) => readStep(path, mountinfo)),
      ...hides.filter(([, , folder]) => isAtOrBelow(folder, tree)),
    ],
  };
};
