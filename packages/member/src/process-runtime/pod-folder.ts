import { chmod, lchown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Isolation } from '../isolation/isolation.ts';
import { podUser } from '../isolation/isolation.ts';
import { POD_FILES } from '../isolation/sandbox-layout.ts';
import { give } from './give.ts';
import { identityOf } from './process-identity.ts';

const PRIVATE = 0o700;
/** Others may pass, and see nothing. */
const PASSABLE = 0o711;
const PRIVATE_FILE = 0o600;

/** Where the files of pods are. */
export interface PodFolders {
  /** What only this process reads: output, and the numbers of processes. */
  readonly pods: string;
  /** What processes read and write; the same folder, unless another user could not get there. */
  readonly files: string;
  /** The files of claims, which stay when pods go. */
  readonly volumes: string;
  readonly isolation: Isolation;
}

/** Where the numbers of the processes of a pod are noted. */
export const pidsFolder = (podFolder: string): string => join(podFolder, 'pids');

/** Where the files of one pod are on this machine. Only this user may read them, and that of the pod. */
export class PodFolder {
  readonly path: string;
  /** What the pod takes for the root of its file system. */
  readonly root: string;
  /** What a process in a sandbox finds at `/tmp`. */
  readonly tmp: string;
  /** Where its root is mounted, when it is in a sandbox. */
  readonly view: string;
  readonly logs: string;
  /** What containers say when they end. */
  readonly messages: string;
  readonly pids: string;
  /** The user of its processes, if it is another. */
  readonly user: number | undefined;
  readonly isSandboxed: boolean;
  /** Why it is not in a sandbox. */
  readonly notSandboxed: string | undefined;
  readonly #files: string;

  /** Pods that share files have a user in common, whom `sharing` names. */
  constructor({ pods, files, isolation }: PodFolders, uid: string, sharing = uid) {
    this.path = join(pods, uid);
    this.#files = join(files, uid);
    this.root = join(this.#files, 'root');
    this.tmp = join(this.#files, 'tmp');
    this.view = join(this.path, 'view');
    this.messages = join(this.path, 'messages');
    this.logs = join(this.path, 'logs');
    this.pids = pidsFolder(this.path);
    this.user = podUser(isolation, sharing);
    this.isSandboxed = isolation.kind === 'namespaces';
    this.notSandboxed = isolation.reason;
  }

  async make(): Promise<void> {
    for (const path of [this.logs, this.pids, this.view, this.root, this.tmp, this.volume('')]) {
      await mkdir(path, { recursive: true, mode: PRIVATE });
    }
    if (this.user === undefined || this.isSandboxed) return;
    for (const path of [this.#files, this.volume('')]) await chmod(path, PASSABLE);
  }

  volume(name: string): string {
    return join(this.#files, 'volumes', name);
  }

  /** A path of one of these files, as the processes of the pod see it. */
  seen(path: string): string {
    return this.isSandboxed ? join(POD_FILES, path.slice(this.#files.length)) : path;
  }

  /** Makes the files those of the user of the pod. Nothing of the pod may run yet. */
  async handOver(): Promise<void> {
    if (this.user === undefined) return;
    const volumes = await readdir(this.volume(''));
    const given = [this.root, this.tmp, ...volumes.map((name) => this.volume(name))];
    for (const path of given) await give(path, this.user);
  }

  async handOverFile(file: string): Promise<void> {
    if (this.user !== undefined) await lchown(file, this.user, this.user);
  }

  /** Writes down that a process is ours, for whoever comes after a crash. */
  async notePid(pid: number): Promise<void> {
    const identity = identityOf(pid) ?? '';
    await writeFile(join(this.pids, String(pid)), identity, { mode: PRIVATE_FILE });
  }

  async forgetPid(pid: number): Promise<void> {
    await rm(join(this.pids, String(pid)), { force: true });
  }

  /** Removes what a pod that has ended needs no more. Its output stays. */
  async clear(): Promise<void> {
    for (const path of [
      this.root,
      this.tmp,
      this.volume(''),
      this.view,
      this.pids,
      this.messages,
    ]) {
      await rm(path, { recursive: true, force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.#files, { recursive: true, force: true });
    await rm(this.path, { recursive: true, force: true });
  }
}
