import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A kube-controller-manager that runs until it is disposed. */
export interface ControllerManager extends AsyncDisposable {
  readonly pid: number;
  /** Everything that it logged as a warning or an error. */
  readonly complaints: readonly string[];
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Starts the program against a server; resolves when it leads and its garbage collector has begun. */
export const startControllerManager = async (
  program: string,
  kubeconfig: string,
  controllers = '*',
  flags: readonly string[] = [],
): Promise<ControllerManager> => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-controllers-'));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const key = join(folder, 'key.pem');
  writeFileSync(key, privateKey);
  const child = spawn(
    program,
    [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${key}`,
      `--controllers=${controllers}`,
      '--leader-elect=true',
      '--secure-port=0',
      `--flex-volume-plugin-dir=${folder}`,
      '--v=1',
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const complaints: string[] = [];
  const log: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      log.push(line);
      if (/^[EW]\d{4} /.test(line)) complaints.push(line);
      if (line.includes('Proceeding to collect garbage')) resolve();
    });
    child.once('exit', () => {
      reject(new Error(`kube-controller-manager ended:\n${log.slice(-20).join('\n')}`));
    });
  });
  await ready;
  return {
    pid: child.pid ?? 0,
    complaints,
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded(child)) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
