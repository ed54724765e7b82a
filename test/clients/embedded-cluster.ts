import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { type KubectlShell, openKubectlShell } from './kubectl-shell.ts';

/** An embedded server, and a shell whose kubectl speaks to it, until it is disposed. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly server: EmbeddedServer;
  readonly shell: KubectlShell;
  /** The path of a kubeconfig, for other clients. */
  readonly kubeconfig: string;
  /** Output of a command; throws its errors if it fails. */
  run(command: string): Promise<string>;
}

export interface EmbeddedClusterOptions extends Partial<EmbeddedServerOptions> {
  readonly kubectl: string;
  readonly namespace?: string;
  readonly cwd?: string;
}

/** Folder of the files of the sessions. */
const sessionFiles = new URL('./sessions/files/', import.meta.url).pathname;

const kubeconfigFor = (url: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server: url } }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'anyone' } }],
    users: [{ name: 'anyone', user: {} }],
    'current-context': 'embedded',
  });

export const openEmbeddedCluster = async ({
  kubectl,
  namespace = 'default',
  cwd = sessionFiles,
  ...options
}: EmbeddedClusterOptions): Promise<EmbeddedCluster> => {
  const server = await startEmbeddedServer({ clock: realClock, ...options });
  const connection = [`--server=${server.url}`, '--kubeconfig=/dev/null'];
  const shell = openKubectlShell({ kubectl, connection, namespace, cwd });
  const kubeconfig = join(shell.folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(server.url));
  return {
    server,
    shell,
    kubeconfig,
    run: async (command) => {
      const { code, stdout, stderr } = await shell.run(command);
      assert.equal(code, 0, `${command}\n${stdout}${stderr}`);
      return stdout;
    },
    [Symbol.asyncDispose]: async () => {
      shell[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};
