import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf } from './process-identity.ts';

const PRIVATE = 0o700;
const PRIVATE_FILE = 0o600;

/** Where the files of one pod are on this machine. Only this user may read them. */
export class PodFolder {
  readonly path: string;
  /** What the pod takes for the root of its file system. */
  readonly root: string;
  readonly logs: string;
  readonly pids: string;

  constructor(pods: string, uid: string) {
    this.path = join(pods, uid);
    this.root = join(this.path, 'root');
    this.logs = join(this.path, 'logs');
    this.pids = join(this.path, 'pids');
  }

  async make(): Promise<void> {
    for (const path of [this.root, this.logs, this.pids]) {
      await mkdir(path, { recursive: true, mode: PRIVATE });
    }
  }

  volume(name: string): string {
    return join(this.path, 'volumes', name);
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
    for (const name of ['root', 'volumes', 'pids']) {
      await rm(join(this.path, name), { recursive: true, force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
