import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Output and exit code of a command. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlShellOptions {
  /** The program. */
  readonly kubectl: string;
  /** Flags with the address of the server, and the credentials. */
  readonly connection: readonly string[];
  readonly namespace: string;
  /** Working directory of the commands, to which names of files are relative. */
  readonly cwd?: string;
}

/** A shell in which `kubectl` speaks to one server, in one namespace, until it is disposed. */
export interface KubectlShell extends Disposable {
  /** An empty folder for whatever the commands need. */
  readonly folder: string;
  /** The command that `kubectl` is in this shell. */
  readonly kubectl: string;
  run(command: string): Promise<Outcome>;
}

const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 30_000;

export const openKubectlShell = (options: KubectlShellOptions): KubectlShell => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-kubectl-'));
  const bin = join(folder, 'bin');
  const kubectl = join(bin, 'kubectl');
  const flags = [
    ...options.connection,
    `--namespace=${options.namespace}`,
    `--cache-dir=${join(folder, 'cache')}`,
  ];
  mkdirSync(bin);
  writeFileSync(kubectl, `#!/bin/sh\nexec '${options.kubectl}' '${flags.join("' '")}' "$@"\n`);
  chmodSync(kubectl, 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: folder,
    TMPDIR: folder,
    NAMESPACE: options.namespace,
  };
  const run = (command: string): Promise<Outcome> =>
    new Promise((resolve) => {
      const { cwd = folder } = options;
      const child = execFile(
        'sh',
        ['-c', command],
        { cwd, env, maxBuffer: MOST_BYTES, timeout: LONGEST_MS },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
          resolve({ code, stdout, stderr });
        },
      );
      child.stdin?.end();
    });
  return {
    folder,
    kubectl,
    run,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};
