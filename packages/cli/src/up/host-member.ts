import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import { Job } from '@perigee/api/kinds/volcano/job';
import { PodGroup } from '@perigee/api/kinds/volcano/pod-group';
import { Queue } from '@perigee/api/kinds/volcano/queue';
import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { FAULT, readFaults } from '@perigee/member/faults/faults';
import { FaultyMember } from '@perigee/member/faults/faulty-member';
import type { HostedMember } from '@perigee/member/faults/member-faults-controller';
import { startMember } from '@perigee/member/start-member';
import type { MemberPlan } from './member-plan.ts';
import { keepMemberSecret } from './member-secret.ts';

export interface HostOptions {
  readonly server: EmbeddedServer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether controllers of other processes are to reach it. */
  readonly isForOthers: boolean;
}

const FIELD_MANAGER = 'perigee-up';
const KINDS = [Job, PodGroup, Queue];

/** Tells the control plane of a member. What users changed beside stays. */
const registerMember = (
  client: Client,
  plan: MemberPlan,
  url: string,
  secretRef: ObjectRef | undefined,
): Promise<Cluster> => {
  const { name, provider, region, zone, labels } = plan;
  const body = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, labels },
    spec: {
      syncMode: 'Push',
      apiEndpoint: url,
      provider,
      region,
      zones: [zone],
      ...(secretRef === undefined ? {} : { secretRef }),
    },
  };
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  return client.patch(Cluster, { name }, patch);
};

/** Starts a member cluster in this process, and registers it. */
export const hostMember = async (
  plan: MemberPlan,
  { server, clock, logger, isForOthers }: HostOptions,
): Promise<HostedMember & AsyncDisposable> => {
  const { client, url, registry } = await server.openCluster(plan.name, { kinds: KINDS });
  await using stack = new AsyncDisposableStack();
  const { processFolder: folder } = plan;
  const processes = folder === undefined ? {} : { processes: { allow: true, folder } as const };
  const { name: identity, nodes } = plan;
  const member = { client, clock, logger, nodes, identity, ...processes };
  const running = stack.use(await startMember(member));
  stack.use(registry.podLogs?.serve(running.readPodLog));
  const secret = isForOthers ? await keepMemberSecret(server, plan.name, url) : undefined;
  const { metadata } = await registerMember(server.client, plan, url, secret);
  const faulty = new FaultyMember(client, clock);
  // Nobody may get through before its controller runs.
  faulty.set(readFaults(metadata.annotations?.[FAULT]).faults);
  const owned = stack.move();
  return { client, faulty, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};
