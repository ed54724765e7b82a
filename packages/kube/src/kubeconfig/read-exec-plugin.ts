import { ConfigError } from '../errors.ts';
import type { Fields } from './fields.ts';
import type { ExecPlugin } from './kubeconfig.ts';

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const MODES = ['Never', 'IfAvailable', 'Always'] as const;

/** Hints come from files that others wrote; escape sequences must not reach the terminal. */
const printable = (text: string | undefined): string | undefined =>
  text?.replace(/[^\P{C}\n\t]/gu, '');

/** Reads the `exec` entry of a user; `locate` finds a command that is given by path. */
export const readExecPlugin = (fields: Fields, locate: (path: string) => string): ExecPlugin => {
  const { where } = fields;
  const command = fields.text('command');
  if (command === undefined) {
    throw new ConfigError(`command of ${where} is missing: name the program to run`);
  }
  const apiVersion = fields.text('apiVersion') ?? '';
  if (!VERSIONS.includes(apiVersion)) {
    throw new ConfigError(`apiVersion of ${where} must be one of ${VERSIONS.join(', ')}`);
  }
  const requestedMode = fields.text('interactiveMode');
  const mode = MODES.find((name) => name === requestedMode);
  if (mode === undefined && (requestedMode !== undefined || apiVersion === VERSIONS[0])) {
    throw new ConfigError(`interactiveMode of ${where} must be one of ${MODES.join(', ')}`);
  }
  const env = fields.list('env').map((variable) => {
    const name = variable.text('name');
    if (name === undefined) throw new ConfigError(`${variable.where} has no name: give it one`);
    return [name, variable.text('value') ?? ''] as const;
  });
  return {
    apiVersion,
    command: locate(command),
    args: fields.texts('args'),
    env: Object.fromEntries(env),
    installHint: printable(fields.text('installHint')),
    provideClusterInfo: fields.flag('provideClusterInfo'),
    interactiveMode: mode ?? 'IfAvailable',
  };
};
