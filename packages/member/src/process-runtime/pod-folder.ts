import { chmod, lchown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Isolation } from '../isolation/isolation.ts';
import { podUser } from '../isolation/isolation.ts';
import { POD_FILES } from '../isolation/sandbox-layout.ts';
import { changeOwner } from './change-owner.ts';
import { identityOf } from './process-identity.ts';

const PRIVATE = 0o700;
/** Others may traverse, but not list. */
const PASSABLE = 0o711;
const PRIVATE_FILE = 0o600;

/** Base folders for the files of pods. */
export interface PodFolders {
  /** Private to this process: logs and process ids. */
  readonly pods: string;
  /** Files of pod processes; differs from `pods` when their user has no access there. */
  readonly files: string;
  /** Files of claims, which outlive pods. */
  readonly volumes: string;
  readonly isolation: Isolation;
}

/** Folder of the recorded process ids of a pod. */
export const pidsFolder = (podFolder: string): string => join(podFolder, 'pids');

/** The files of one pod on this machine, readable by this user and that of the pod only. */
export class PodFolder {
  readonly path: string;
  /** The root of the pod's file system. */
  readonly root: string;
  /** `/tmp` of sandboxed processes. */
  readonly tmp: string;
  /** Mount point of the root in a sandbox. */
  readonly view: string;
  readonly logs: string;
  /** Termination messages. */
  readonly messages: string;
  /** Exit codes. */
  readonly ends: string;
  readonly pids: string;
  /** User id of the processes, if it differs from ours. */
  readonly user: number | undefined;
  readonly isSandboxed: boolean;
  /** Reason for running outside of a sandbox. */
  readonly notSandboxed: string | undefined;
  readonly #files: string;

  /** Pods that share files share a user id, derived from `sharing`. */
  constructor({ pods, files, isolation }: PodFolders, uid: string, sharing = uid) {
    this.path = join(pods, uid);
    this.#files = join(files, uid);
    this.root = join(this.#files, 'root');
    this.tmp = join(this.#files, 'tmp');
    this.view = join(this.path, 'view');
    this.messages = join(this.path, 'messages');
    this.ends = join(this.path, 'ends');
    this.logs = join(this.path, 'logs');
    this.pids = pidsFolder(this.path);
    this.user = podUser(isolation, sharing);
    this.isSandboxed = isolation.kind === 'namespaces';
    this.notSandboxed = isolation.reason;
  }

  async make(): Promise<void> {
    for (const path of [
      this.logs,
      this.pids,
      this.ends,
      this.view,
      this.root,
      this.tmp,
      this.volume(''),
    ]) {
      await mkdir(path, { recursive: true, mode: PRIVATE });
    }
    if (this.user === undefined || this.isSandboxed) return;
    for (const path of [this.#files, this.volume('')]) await chmod(path, PASSABLE);
  }

  volume(name: string): string {
    return join(this.#files, 'volumes', name);
  }

  /** Translates a path to the view of the pod's processes. */
  viewPath(path: string): string {
    return this.isSandboxed ? join(POD_FILES, path.slice(this.#files.length)) : path;
  }

  /** Changes the owner of the files to the user of the pod. No process of the pod may run yet. */
  async handOver(): Promise<void> {
    if (this.user === undefined) return;
    const volumes = await readdir(this.volume(''));
    const paths = [this.root, this.tmp, ...volumes.map((name) => this.volume(name))];
    for (const path of paths) await changeOwner(path, this.user);
  }

  async handOverFile(file: string): Promise<void> {
    if (this.user !== undefined) await lchown(file, this.user, this.user);
  }

  /** Records a process id, for the cleanup after a crash. */
  async notePid(pid: number): Promise<void> {
    const identity = identityOf(pid) ?? '';
    await writeFile(join(this.pids, String(pid)), identity, { mode: PRIVATE_FILE });
  }

  async forgetPid(pid: number): Promise<void> {
    await rm(join(this.pids, String(pid)), { force: true });
  }

  /** Removes the files of an ended pod; its logs stay, and how its containers ended. */
  async clear(): Promise<void> {
    for (const path of [this.root, this.tmp, this.volume(''), this.view, this.pids]) {
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Removes what was kept until the end of the pod is in its status. */
  async forgetEnds(): Promise<void> {
    for (const path of [this.ends, this.messages]) await rm(path, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await rm(this.#files, { recursive: true, force: true });
    await rm(this.path, { recursive: true, force: true });
  }
}
