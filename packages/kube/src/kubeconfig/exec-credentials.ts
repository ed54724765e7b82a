import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { sameJson } from '@perigee/schema/same-json';
import type { CredentialSource } from '../client/cluster-config.ts';
import type { Clock } from '../clock/clock.ts';
import { ConfigError } from '../errors.ts';
import {
  type ExecCluster,
  execInfo,
  type IssuedCredentials,
  readExecCredential,
} from './exec-credential.ts';
import type { ExecPlugin } from './kubeconfig.ts';

export interface ExecOptions {
  readonly clock: Clock;
  /** The environment that the plugin inherits. */
  readonly env: { readonly [name: string]: string | undefined };
  /** True if somebody sits at the terminal who can answer a plugin's questions. */
  readonly interactive: boolean;
  readonly cluster: ExecCluster;
  /** The plugin's owner in error messages: `user "me" of /home/me/.kube/config`. */
  readonly owner: string;
}

const run = async (plugin: ExecPlugin, options: ExecOptions): Promise<IssuedCredentials> => {
  const { command, args, installHint, interactiveMode } = plugin;
  const who = `the credential plugin ${command} of ${options.owner}`;
  const interactive = options.interactive && interactiveMode !== 'Never';
  if (interactiveMode === 'Always' && !interactive) {
    throw new ConfigError(
      `${who} needs a terminal: run this from one, or use credentials that do not`,
    );
  }
  const info = execInfo(plugin, interactive, options.cluster);
  const child = spawn(command, args, {
    env: { ...options.env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
    // Messages of the plugin for its user go straight to the terminal.
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    shell: false,
    windowsHide: true,
  });
  const pluginOutput = new Promise<string>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const hint = installHint === undefined ? 'install it, or correct the command' : installHint;
      reject(new ConfigError(`${who} cannot be run (${error.code}): ${hint}`));
    });
    child.once('close', (code, signal) => resolve(code === 0 ? '' : String(code ?? signal)));
  });
  const [failure, output] = await Promise.all([pluginOutput, text(child.stdout)]);
  if (failure !== '') {
    throw new ConfigError(
      `${who} failed with exit code ${failure}: log in again, or run it by hand to see why`,
    );
  }
  return readExecCredential(output, plugin, who);
};

/** Credentials from a plugin: kept until they expire or the server rejects them, then asked for anew. */
export const execCredentials = (plugin: ExecPlugin, options: ExecOptions): CredentialSource => {
  const { clock } = options;
  let lastIssue: IssuedCredentials | undefined;
  let pendingRun: Promise<IssuedCredentials> | undefined;
  return async (rejectedCredentials) => {
    const isExpired = clock.now() >= (lastIssue?.expiresAt ?? Number.POSITIVE_INFINITY);
    if (lastIssue && !isExpired && lastIssue.credentials !== rejectedCredentials)
      return lastIssue.credentials;
    pendingRun ??= run(plugin, options).finally(() => {
      pendingRun = undefined;
    });
    const fresh = await pendingRun;
    const same = lastIssue && sameJson(lastIssue.credentials, fresh.credentials);
    lastIssue = same && lastIssue ? { ...fresh, credentials: lastIssue.credentials } : fresh;
    return lastIssue.credentials;
  };
};
