import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a component of Karmada on an API server, until it is disposed. */
export const startKarmada = (
  binary: string,
  url: string,
  flags: readonly string[],
): AsyncDisposable => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-peer-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [context],
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const always = [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--metrics-bind-address=127.0.0.1:0',
    '--health-probe-bind-address=127.0.0.1:0',
  ];
  const child = spawn(binary, [...always, ...flags], { stdio: 'ignore' });
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
