import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { cannotMount } from '../config/missing-config.ts';
import { mountedVolumes } from '../config/volume-sources.ts';
import { PodConfigError } from '../errors.ts';
import { isAtOrBelow } from '../isolation/sandbox-layout.ts';
import {
  type ProcessContainer,
  type ProcessVolume,
  processSpecOf,
  type VolumeMount,
} from '../processes/process-spec.ts';
import type { Bind } from '../processes/spawn.ts';
import type { ClaimVolumes } from './claim-volumes.ts';
import { type FillSources, fillVolume } from './fill-volume.ts';
import { allowedHostPath, type HostPlace } from './host-path.ts';
import { messagePathOf, mountPathOf } from './mount-path.ts';
import type { PodFolder } from './pod-folder.ts';
import { makeWorkingFolder } from './working-folder.ts';

export interface VolumesWorld extends FillSources {
  readonly folder: PodFolder;
  readonly claims: ClaimVolumes;
  /** Folders of this machine that pods may mount. */
  readonly hostPaths: readonly string[];
}

/** The folder behind a volume. */
interface VolumePlace extends HostPlace {
  readonly readOnly: boolean;
}

const lasting = (message: string): PodConfigError =>
  new PodConfigError(message, { isLasting: true });

const containersOf = ({ pod }: VolumesWorld): readonly ProcessContainer[] => {
  const { containers, initContainers = [] } = processSpecOf(pod);
  return [...initContainers, ...containers];
};

/** The volumes of a pod, and their mounts in its containers. */
export class PodVolumes {
  readonly #world: VolumesWorld;
  readonly #places = new Map<string, VolumePlace>();

  constructor(world: VolumesWorld) {
    this.#world = world;
  }

  /** Creates the volumes, and places them below the root of the pod. */
  async mount(): Promise<void> {
    const { pod, folder } = this.#world;
    const containers = containersOf(this.#world);
    const mounts = containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
    for (const mount of mounts) this.#check(mount);
    for (const volume of mountedVolumes(pod)) {
      this.#places.set(volume.name, await this.#place(volume));
    }
    // Outer mounts come before the ones inside of them.
    for (const mount of mounts.toSorted((a, b) => a.mountPath.length - b.mountPath.length)) {
      await this.#link(mount, mounts);
    }
    for (const container of containers) {
      await makeWorkingFolder(folder, container);
      await this.#makeMessageFolder(container);
    }
    await folder.handOver();
  }

  /** The mounts that a sandboxed process of a container sees. */
  binds({ volumeMounts = [] }: ProcessContainer): readonly Bind[] {
    const { folder } = this.#world;
    return [
      { from: folder.root, to: folder.viewPath(folder.root) },
      { from: folder.tmp, to: '/tmp' },
      ...volumeMounts.flatMap((mount): readonly Bind[] => {
        const { name, subPath = '', readOnly = false } = mount;
        const place = this.#places.get(name);
        if (place === undefined) return [];
        const below = join(place.below, normalize(`/${subPath}`));
        const to = mountPathOf(mount);
        return [{ from: place.from, below, to, readOnly: readOnly || place.readOnly }];
      }),
    ];
  }

  /** Resolves a path of a container to the file in one of its volumes. */
  locate({ volumeMounts = [] }: ProcessContainer, path: string): HostPlace | undefined {
    const { folder } = this.#world;
    const mounts = volumeMounts.toSorted((a, b) => b.mountPath.length - a.mountPath.length);
    const mount = mounts.find((one) => isAtOrBelow(path, mountPathOf(one)));
    const place = mount && this.#places.get(mount.name);
    if (place === undefined) {
      const isTemporary = folder.isSandboxed && isAtOrBelow(path, '/tmp');
      return isTemporary ? { from: folder.tmp, below: relative('/tmp', path) } : undefined;
    }
    const relativePath = relative(mountPathOf(mount as VolumeMount), path);
    const below = join(place.below, normalize(`/${mount?.subPath ?? ''}`), relativePath);
    return { from: place.from, below };
  }

  #check({ name, mountPath, subPathExpr }: VolumeMount): void {
    const path = mountPathOf({ mountPath });
    if (subPathExpr !== undefined) throw lasting(`volume "${name}" has a subPathExpr: use subPath`);
    if (!this.#world.folder.isSandboxed) return;
    const isOurs = ['/proc', '/dev', '/perigee'].some((systemFolder) =>
      isAtOrBelow(path, systemFolder),
    );
    if (path !== '/dev/shm' && (isOurs || path === '/')) {
      throw lasting(`volume "${name}" cannot be mounted at ${path}`);
    }
  }

  /** Failures are reported in the words of a kubelet. */
  async #place(volume: ProcessVolume): Promise<VolumePlace> {
    try {
      return { readOnly: false, ...(await this.#make(volume)) };
    } catch (error) {
      if (!(error instanceof PodConfigError) || error.isLasting) throw error;
      throw new PodConfigError(cannotMount(volume.name, error.message));
    }
  }

  async #make(volume: ProcessVolume): Promise<HostPlace & { readonly readOnly?: boolean }> {
    const { name, emptyDir, configMap, secret, downwardAPI, projected } = volume;
    const { hostPath, persistentVolumeClaim: claim } = volume;
    const { folder, hostPaths } = this.#world;
    if (hostPath) return allowedHostPath(hostPath, hostPaths);
    if (claim) {
      const { claimName, readOnly = false } = claim;
      return { ...(await this.#claimed(name, claimName)), readOnly };
    }
    const from = folder.volume(name);
    if (!emptyDir && !projected && !configMap && !secret && !downwardAPI) {
      const sort = Object.keys(volume).filter((key) => key !== 'name');
      throw lasting(`volume "${name}" is a ${sort.join()}, which processes do not get`);
    }
    await fillVolume(from, volume, this.#world);
    return { from, below: '' };
  }

  /** Without a sandbox the claim would have to be at a path of this machine, which is not the one in the pod. */
  #claimed(name: string, claimName: string): Promise<HostPlace> {
    const { pod, folder, claims, hostPaths } = this.#world;
    if (!folder.isSandboxed) {
      throw lasting(
        `volume "${name}" is a claim, and processes have no file system of their own here to mount it in: ${folder.notSandboxed ?? 'no isolation'}`,
      );
    }
    const { namespace = '' } = pod.metadata;
    return claims.find({ namespace, claimName, user: folder.user, hostPaths });
  }

  /** In a sandbox the file itself is mounted. */
  async #makeMessageFolder(container: ProcessContainer): Promise<void> {
    const { root, isSandboxed } = this.#world.folder;
    const path = messagePathOf(container);
    if (isSandboxed || this.locate(container, path) !== undefined) return;
    await mkdir(join(root, dirname(path)), { recursive: true, mode: 0o700 });
  }

  async #link(mount: VolumeMount, all: readonly VolumeMount[]): Promise<void> {
    const { root, isSandboxed } = this.#world.folder;
    const volume = this.#places.get(mount.name);
    const path = mountPathOf(mount);
    if (volume === undefined) return;
    const isInside = all.some((other) => {
      const outer = mountPathOf(other);
      return outer !== path && isAtOrBelow(path, outer);
    });
    // The outer mount covers this path, and the link would point to a path of this machine.
    if (isSandboxed && isInside) return;
    const place = join(root, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    const target = join(volume.from, volume.below, normalize(`/${mount.subPath ?? ''}`));
    const to = isSandboxed ? path : relative(dirname(place), target);
    await symlink(to, place).catch((error: NodeJS.ErrnoException) => {
      // Containers share one root, and may mount a volume at the same path.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
