import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { cannotMount, noSuchKey } from '../config/missing-config.ts';
import { mountedVolumes, sourcesOf } from '../config/volume-sources.ts';
import { PodConfigError } from '../errors.ts';
import type { Bind } from '../isolation/sandbox-layout.ts';
import { fieldValue } from './field-value.ts';
import type { PodData, PodDataReader } from './pod-data.ts';
import type { PodFolder } from './pod-folder.ts';
import {
  type DownwardSource,
  type KeyedSource,
  type ProcessVolume,
  processSpecOf,
  type VolumeMount,
} from './process-spec.ts';

export interface MountSources {
  readonly pod: Pod;
  readonly hostIP: string;
  readonly data: PodDataReader;
  readonly folder: PodFolder;
  /** Folders of this machine that may be mounted. */
  readonly hostPaths: readonly string[];
}

const PRIVATE = 0o700;
const PRIVATE_FILE = 0o600;

const lasting = (message: string): PodConfigError =>
  new PodConfigError(message, { isLasting: true });

/** A path below a folder; what would lead out of it ends at it. */
const below = (folder: string, path: string): string => join(folder, normalize(`/${path}`));

const write = async (folder: string, files: PodData): Promise<void> => {
  for (const [path, content] of files) {
    const file = below(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: PRIVATE });
    await writeFile(file, content, { mode: PRIVATE_FILE });
  }
};

const chosen = (
  data: PodData,
  { items, optional }: KeyedSource,
  kind: 'ConfigMap' | 'Secret',
): PodData => {
  if (items === undefined) return data;
  const files = new Map<string, Buffer>();
  for (const { key, path } of items) {
    const content = data.get(key);
    if (content !== undefined) files.set(path, content);
    else if (!optional) throw new PodConfigError(noSuchKey(kind, key));
  }
  return files;
};

const told = ({ items = [] }: DownwardSource, { pod, hostIP }: MountSources): PodData =>
  new Map(
    items.map(({ path, fieldRef }) => [
      path,
      Buffer.from(fieldValue(pod, fieldRef?.fieldPath ?? '', hostIP)),
    ]),
  );

const allowedHostPath = async (path: string, allowed: readonly string[]): Promise<string> => {
  const real = await realpath(path).catch(() => {
    throw new PodConfigError(`hostPath ${path} is not there`);
  });
  for (const folder of allowed) {
    const way = relative(await realpath(folder), real);
    if (way !== '..' && !way.startsWith(`..${sep}`)) return real;
  }
  throw lasting(`hostPath ${path} is in no folder that the operator of this member allows`);
};

/** Makes the folder that stands for a volume, and tells where it is. */
const makeVolume = async (volume: ProcessVolume, sources: MountSources): Promise<string> => {
  const { name, emptyDir, configMap, secret, downwardAPI, projected, hostPath } = volume;
  const { data } = sources;
  const folder = sources.folder.volume(name);
  if (hostPath) {
    const real = await allowedHostPath(hostPath.path, sources.hostPaths);
    // A process in a sandbox finds it at the place of the volume.
    return sources.folder.isSandboxed ? folder : real;
  }
  await mkdir(folder, { recursive: true, mode: PRIVATE });
  if (!emptyDir && !projected && !configMap && !secret && !downwardAPI) {
    const sort = Object.keys(volume).filter((key) => key !== 'name');
    throw lasting(`volume "${name}" is a ${sort.join()}, which processes do not get`);
  }
  for (const part of sourcesOf(volume)) {
    if (part.configMap) {
      const found = await data.configMap(part.configMap);
      await write(folder, chosen(found, part.configMap, 'ConfigMap'));
    }
    if (part.secret) {
      const found = await data.secret(part.secret);
      await write(folder, chosen(found, part.secret, 'Secret'));
    }
    if (part.serviceAccountToken) {
      const { path } = part.serviceAccountToken;
      const token = await data.token(sources.pod, part.serviceAccountToken);
      await write(folder, new Map([[path, token]]));
    }
    if (part.downwardAPI) await write(folder, told(part.downwardAPI, sources));
  }
  return folder;
};

/** What is missing is told as a kubelet tells it. */
const mountVolume = async (volume: ProcessVolume, sources: MountSources): Promise<string> => {
  try {
    return await makeVolume(volume, sources);
  } catch (error) {
    if (!(error instanceof PodConfigError) || error.isLasting) throw error;
    throw new PodConfigError(cannotMount(volume.name, error.message));
  }
};

/** What a process in a sandbox sees of its pod, and where. */
export const podBinds = async ({
  pod,
  folder,
  hostPaths,
}: MountSources): Promise<readonly Bind[]> => {
  const binds = [
    { from: folder.root, to: folder.seen(folder.root) },
    { from: folder.tmp, to: '/tmp' },
  ];
  for (const { name, hostPath } of mountedVolumes(pod)) {
    const place = folder.volume(name);
    // Looked at for each process: another one may have put a link there meanwhile.
    const from = hostPath ? await allowedHostPath(hostPath.path, hostPaths) : place;
    binds.push({ from, to: folder.seen(place) });
  }
  return binds;
};

const isWithin = async (folder: string, path: string): Promise<boolean> => {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return isWithin(folder, dirname(path));
  const way = relative(await realpath(folder), real);
  return way !== '..' && !way.startsWith(`..${sep}`);
};

/**
 * Makes the folders that containers start in. In a sandbox they do it themselves. Others may have put links
 * into a folder of this machine that is mounted, so nothing is made there.
 */
const makeWorkingFolders = async ({ pod, folder }: MountSources): Promise<void> => {
  if (folder.isSandboxed) return;
  const { containers, initContainers = [] } = processSpecOf(pod);
  for (const { workingDir = '' } of [...initContainers, ...containers]) {
    const path = below(folder.root, workingDir);
    if (await isWithin(dirname(folder.root), path)) {
      await mkdir(path, { recursive: true, mode: PRIVATE });
    }
  }
};

const link = async (root: string, volume: string, mount: VolumeMount): Promise<void> => {
  const { mountPath, subPath = '' } = mount;
  const place = below(root, mountPath);
  await mkdir(dirname(place), { recursive: true, mode: PRIVATE });
  const target = subPath === '' ? volume : below(volume, subPath);
  // Relative, because a process in a sandbox sees both of them elsewhere.
  await symlink(relative(dirname(place), target), place).catch((error: NodeJS.ErrnoException) => {
    // Containers of a pod share one root, and may mount the same at the same place.
    if (error.code !== 'EEXIST') throw error;
  });
};

/** Puts the volumes of a pod where its containers mount them, below the root of the pod. */
export const mountVolumes = async (sources: MountSources): Promise<void> => {
  const { pod, folder } = sources;
  const { containers, initContainers = [] } = processSpecOf(pod);
  const places = new Map<string, string>();
  for (const volume of mountedVolumes(pod)) {
    places.set(volume.name, await mountVolume(volume, sources));
  }
  const mounts = [...initContainers, ...containers].flatMap(
    ({ volumeMounts = [] }) => volumeMounts,
  );
  // What is mounted inside of another mount comes after it.
  for (const mount of mounts.toSorted((a, b) => a.mountPath.length - b.mountPath.length)) {
    const place = places.get(mount.name);
    if (place !== undefined) await link(folder.root, place, mount);
  }
  await makeWorkingFolders(sources);
  await folder.handOver();
};
