import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { mountFlags, mountsBelow } from './mount-flags.ts';
import { SYSTEM_PATH } from './system-tools.ts';

/**
 * Four words for the script: operation, source, target, and the expected identity of the source: `device:inode`, or
 * `-`.
 */
export type Step = readonly [string, string, string, string];

/** Mount point of the pod's files. */
export const POD_FILES = '/perigee';

/** Place of the Node.js binary in the sandbox. Its path on this machine may be below a folder that the pod mounts. */
export const PROGRAMS = '/perigee/bin';
export const SANDBOX_NODE = `${PROGRAMS}/node`;

/** Place of Perigee's own programs. */
const LIBRARIES = '/perigee/lib';

/** A program of Perigee on the `PATH` of processes. */
export interface Program {
  readonly name: string;
  /** The file that is executed. */
  readonly launcher: string;
  /** Source folder of the program. */
  readonly folder: string;
}

/** The text of a launcher for a module of a program. */
export const launcherText = (name: string, module: string): string =>
  `#!/bin/sh\nexec ${SANDBOX_NODE} ${LIBRARIES}/${name}/${module} "$@"\n`;

/** The root of the command, before the script moves there. */
const VIEW = '/.view';

const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].map((name) => `/${name}`);
const SYSTEM_TREES = ['/usr', '/etc', '/opt', '/nix', '/gnu'];
/** The parts of the system that processes see, as far as they exist. */
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

/** `PATH` without folders that are not in the sandbox: those would only reveal the operator's layout. */
export const seenPath = (path: string): string => {
  const visiblePath = path
    .split(':')
    .filter((entry) => SYSTEM.some((folder) => isAtOrBelow(entry, folder)));
  return [...visiblePath, PROGRAMS].join(':');
};

const readStep = (path: string, mountinfo: string, at = path): Step => {
  const flags = mountFlags(mountinfo, path).map((flag) => `,${flag}`);
  return [`read${flags.join('')}`, path, at, '-'];
};

const systemSteps = (mountinfo: string): readonly Step[] =>
  SYSTEM.flatMap((path): readonly Step[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return stats.isSymbolicLink()
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

/** Hides operator folders inside of system folders, except those of programs. */
const hideSteps = (folders: readonly string[], programs: readonly string[]): readonly Step[] =>
  folders
    .flatMap((folder) => existing(folder) ?? [])
    .filter((folder) => SYSTEM_TREES.some((tree) => isAtOrBelow(folder, tree)))
    .filter((folder) => !programs.some((program) => isAtOrBelow(program, folder)))
    .map((folder) => ['hide', '-', folder, '-']);

export interface MachineSteps {
  /** All steps, in order. */
  readonly all: readonly Step[];
  /** Steps to repeat after a system folder was remounted. */
  again(tree: string): readonly Step[];
}

/**
 * The part of this machine that a process sees, as steps for the script: the system, read-only, and the program that
 * enters the sandbox; nothing of the operator.
 */
export const machineSteps = (
  hiddenPaths: readonly string[],
  programs: readonly Program[],
): MachineSteps => {
  const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  const tools = SYSTEM_PATH.split(':').flatMap((folder) => existing(folder) ?? []);
  // Some systems have the file outside of /etc.
  const names = existing('/etc/resolv.conf');
  const hides = hideSteps([...hiddenPaths, homedir()], tools);
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
