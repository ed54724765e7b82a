import { readFileSync } from 'node:fs';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { checkName } from '../../check-name.ts';
import { openConnection } from '../../connect.ts';
import type { ServerChoice } from '../../open-client.ts';
import { notify } from '../../output/notify.ts';
import { makeAgentAccess } from './agent-access.ts';
import { agentManifest } from './agent-manifest.ts';
import { kubeconfigWith } from './credentials-secret.ts';
import { clusterUid } from './read-member.ts';

export interface PullOptions {
  readonly agentImage?: string;
  readonly controlPlaneUrl?: string;
  readonly clusterProvider?: string;
  readonly clusterRegion?: string;
  readonly clusterZones?: readonly string[];
  readonly dryRun?: boolean;
  readonly output?: string;
}

const LOOPBACK = /^https?:\/\/(127\.|localhost|\[::1\])/;

const ownImage = (): string =>
  `perigee:${JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version}`;

/** Registers a cluster in pull mode and prints the manifest of its agent. */
export const runJoinPull = async (
  name: string,
  options: PullOptions,
  command: Command,
): Promise<void> => {
  checkName(name, 'a cluster');
  await using plane = await openConnection(command.optsWithGlobals<ServerChoice>());
  const { client, config } = plane;
  const { controlPlaneUrl: server = config.server, agentImage: image = ownImage() } = options;
  const { clusterProvider: provider, clusterRegion: region, clusterZones: zones } = options;
  if (LOOPBACK.test(server)) {
    notify(
      `warning: ${server} leads an agent to its own machine; say with --control-plane-url where it finds the control plane`,
    );
  }
  const spec = present({ provider, region, zones });
  const credentials = options.dryRun
    ? { token: 'a token would stand here' }
    : await makeAgentAccess(client, name, spec);
  const manifest = agentManifest({
    cluster: name,
    joinedBy: await clusterUid(client),
    image,
    kubeconfig: kubeconfigWith(name, { ...config, server }, credentials),
  });
  if (options.output === 'json') {
    const list = { apiVersion: 'v1', kind: 'List', items: manifest };
    process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
    return;
  }
  const { stringify } = await import('yaml');
  process.stdout.write(
    manifest.map((one) => stringify(one, { version: '1.1', lineWidth: 0 })).join('---\n'),
  );
};
