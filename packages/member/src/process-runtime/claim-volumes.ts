import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { PersistentVolume } from '@perigee/kubernetes/core/persistent-volume';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { PodConfigError } from '../errors.ts';
import { volumeHandle } from '../volumes/member-volume.ts';
import { changeOwner } from './change-owner.ts';
import { allowedHostPath, type HostPlace } from './host-path.ts';

export interface ClaimRequest {
  readonly namespace: string;
  readonly claimName: string;
  /** Owner of the files. */
  readonly user: number | undefined;
  /** Folders of this machine that volumes may map to. */
  readonly hostPaths: readonly string[];
}

/** The folders behind bound claims. They outlive pods, and are deleted with their volumes. */
export class ClaimVolumes {
  readonly #client: Client;
  readonly #folder: string;

  constructor(client: Client, folder: string) {
    this.#client = client;
    this.#folder = folder;
  }

  /** The folder of a claim, created at first use. */
  async find(request: ClaimRequest): Promise<HostPlace> {
    const volume = await this.#volumeOf(request);
    const { hostPath, local } = volume.spec ?? {};
    const handle = volumeHandle(volume);
    if (handle !== undefined) return { from: await this.#make(handle, request.user), below: '' };
    const source = hostPath ?? local;
    if (source !== undefined) return allowedHostPath(source, request.hostPaths);
    const { name } = volume.metadata;
    throw new PodConfigError(`persistentvolume "${name}" is of a kind that processes do not get`, {
      isLasting: true,
    });
  }

  /** Deletes the files of a volume. */
  async remove(volume: PersistentVolume): Promise<void> {
    const handle = volumeHandle(volume);
    if (handle === undefined) return;
    await rm(join(this.#folder, handle), { recursive: true, force: true });
  }

  async #volumeOf({ namespace, claimName: name }: ClaimRequest): Promise<PersistentVolume> {
    const claim = await getOrUndefined(this.#client, PersistentVolumeClaim, { namespace, name });
    if (claim === undefined) throw new PodConfigError(`persistentvolumeclaim "${name}" not found`);
    const { volumeName = '', volumeMode } = claim.spec ?? {};
    if (volumeMode === 'Block') {
      throw new PodConfigError(`persistentvolumeclaim "${name}" is a device; processes get files`, {
        isLasting: true,
      });
    }
    const volume =
      claim.status?.phase === 'Bound'
        ? await getOrUndefined(this.#client, PersistentVolume, { name: volumeName })
        : undefined;
    // A claim may name a volume that is bound to another claim.
    if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) {
      throw new PodConfigError(`persistentvolumeclaim "${name}" is not bound to a volume`);
    }
    return volume;
  }

  async #make(handle: string, user: number | undefined): Promise<string> {
    const folder = join(this.#folder, handle);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A retained volume that was bound again in another namespace changes its owner.
    if (user !== undefined && (await lstat(folder)).uid !== user) await changeOwner(folder, user);
    return folder;
  }
}
