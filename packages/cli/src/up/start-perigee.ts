import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import { Job } from '@perigee/api/kinds/volcano/job';
import { PodGroup } from '@perigee/api/kinds/volcano/pod-group';
import { Queue } from '@perigee/api/kinds/volcano/queue';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { openPlacement } from '@perigee/controllers/placement-controllers';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import { startMember } from '@perigee/member/start-member';
import { type MemberPlan, planMembers } from './member-plan.ts';
import type { UpOptions } from './up-options.ts';

export interface PerigeeOptions extends UpOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what is done, for whoever waits. */
  readonly onProgress?: (text: string) => void;
}

/** A control plane with its members, until it is disposed. */
export interface Perigee extends AsyncDisposable {
  readonly server: EmbeddedServer;
  readonly client: Client;
  readonly kubeconfig: string;
  readonly members: readonly MemberPlan[];
}

const FIELD_MANAGER = 'perigee-up';
const MEMBER_KINDS = [Job, PodGroup, Queue];

/** The folder of the data; one that goes with the process when nothing is to be kept. */
const openFolder = ({ data, ephemeral }: UpOptions, stack: AsyncDisposableStack): string => {
  if (!ephemeral) return resolve(data);
  const folder = mkdtempSync(join(tmpdir(), 'perigee-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Tells the control plane of a member. What users changed beside stays. */
const registerMember = async (client: Client, plan: MemberPlan, url: string): Promise<void> => {
  const { name, provider, region, zone, labels } = plan;
  const body = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, labels },
    spec: { syncMode: 'Push', apiEndpoint: url, provider, region, zones: [zone] },
  };
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  await client.patch(Cluster, { name }, patch);
};

/** Starts the control plane, its members, and all controllers. Everything works when it resolves. */
export const startPerigee = async (options: PerigeeOptions): Promise<Perigee> => {
  const { clock, logger, onProgress = () => {} } = options;
  await using stack = new AsyncDisposableStack();
  const folder = openFolder(options, stack);
  const kubeconfig = join(folder, 'kubeconfig');
  onProgress('starting the API server');
  const server = stack.use(
    await startEmbeddedServer({
      clock,
      logger,
      dataFolder: folder,
      port: options.port,
      access: 'rbac',
      adminKubeconfig: kubeconfig,
    }),
  );
  const { client } = server;
  const members = planMembers(options.members, options.nodes);
  onProgress(`starting ${members.length} member clusters`);
  for (const plan of members) {
    const member = await server.openCluster(plan.name, { kinds: MEMBER_KINDS });
    const { nodes } = plan;
    stack.use(await startMember({ client: member.client, clock, logger, nodes }));
    await registerMember(client, plan, member.url);
  }
  onProgress('starting the controllers');
  const hosted = new InProcessMembers(({ metadata }) => server.cluster(metadata.name)?.client);
  const placement = stack.use(openPlacement({ client, clock, logger, hosted }));
  const { controllers } = placement;
  const select = options.controllers;
  const manager = stack.use(new Manager({ client, clock, logger, controllers, select }));
  await manager.start();
  const running = stack.move();
  return {
    server,
    client,
    kubeconfig,
    members,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
