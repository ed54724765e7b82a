import { writeFileSync } from 'node:fs';
import { clusterIdentifier } from '@perigee/host/identify-cluster';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { createLogger } from '@perigee/kube/observe/logger';
import { openRestServer } from '@perigee/registration/server/rest-server';
import { present } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import type { ServerChoice } from '../../open-client.ts';
import { notify } from '../../output/notify.ts';
import { untilAskedToStop } from '../../until-asked-to-stop.ts';
import { type CertificateFiles, servingCertificate } from './serving-certificate.ts';

export interface RunRestOptions extends ServerChoice, CertificateFiles {
  readonly host: string;
  readonly port: string;
  /** Path for the CA of a generated certificate; standard output by default. */
  readonly caFile?: string;
}

const portOf = (text: string): number => {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CommandError(EXIT.usage, `--port ${text}: write a number from 0 to 65535`);
};

/** Clients of the server need the CA to trust it. */
const printAuthority = (authority: string, caFile: string | undefined): void => {
  if (caFile === undefined) return void process.stdout.write(authority);
  try {
    writeFileSync(caFile, authority);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`--ca-file cannot be written: ${why}`, { cause });
  }
};

/** Serves the REST API in the foreground until the user stops it. */
export const runRest = async (options: RunRestOptions): Promise<void> => {
  const { host, kubeconfig, context, caFile } = options;
  const port = portOf(options.port);
  const logger = createLogger({ clock, level: 'warn' });
  const config = await loadClusterConfig({
    env: process.env,
    clock,
    interactive: false,
    logger,
    ...present({ kubeconfig, context }),
  });
  const { pair, authority } = servingCertificate(options, host, clock);
  const stopRequest = untilAskedToStop();
  const identify = clusterIdentifier(clock);
  const serving = { config, clock, logger, tls: pair, host, port, identify };
  await using server = await openRestServer(serving);
  if (authority !== undefined) printAuthority(authority, caFile);
  notify(`listening on ${server.url} for ${config.server}`);
  await stopRequest;
};
