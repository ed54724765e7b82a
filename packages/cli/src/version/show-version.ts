import { readFileSync } from 'node:fs';
import { NoKubeconfigError } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { formatStructured } from '../output/structured-output.ts';

export interface VersionOptions {
  readonly client?: boolean;
  readonly output?: string;
}

const ownVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

const serverVersion = async (command: Command): Promise<string> => {
  await using client = await connect(command);
  return (await client.version()).gitVersion;
};

/** Prints the client's version, even when the server cannot be reached. */
export const showVersion = async (options: VersionOptions, command: Command): Promise<void> => {
  const own = { perigee: ownVersion(), node: process.version };
  let server: string | undefined;
  let failure: unknown;
  try {
    if (!options.client) server = await serverVersion(command);
  } catch (error) {
    // Without a kubeconfig, the user only asks for the installed version.
    if (!(error instanceof NoKubeconfigError)) failure = error;
  }
  const versions = { ...own, ...present({ server }) };
  const lines = [
    `Perigee: ${own.perigee}`,
    `Node.js: ${own.node}`,
    ...(server ? [`Server:  ${server}`] : []),
  ];
  process.stdout.write(
    (await formatStructured(options.output, versions)) ?? `${lines.join('\n')}\n`,
  );
  if (failure !== undefined) throw failure;
};
