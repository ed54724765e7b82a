import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Job } from '@perigee/api/kinds/groups/job';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import {
  GROUPING_SCHEDULERS,
  podGroupControllers,
} from '@perigee/controllers/groups/pod-group-controllers';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { FAULT, type Faults, NO_FAULTS, readFaults } from '@perigee/member/faults/faults';
import { FaultyMember } from '@perigee/member/faults/faulty-member';
import type { HostedMember } from '@perigee/member/faults/member-faults-controller';
import type { NodeShape } from '@perigee/member/nodes/node-shape';
import type { ProcessOptions } from '@perigee/member/process-runtime/process-options';
import { startMember } from '@perigee/member/start-member';
import { present } from '@perigee/schema/present';
import { keepMemberSecret } from './member-secret.ts';

export interface HostOptions {
  readonly server: EmbeddedServer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Publishes a Secret for each member, so that controllers in other processes can reach it. */
  readonly isForOthers: boolean;
}

export interface MemberParts {
  readonly name: string;
  readonly nodes: readonly NodeShape[];
  /** Settings for pods that run as processes of this machine; absent if none may. */
  readonly processes: ProcessOptions | undefined;
}

/** A member that runs in this process until it is disposed. */
export interface RunningMember extends HostedMember, AsyncDisposable {
  readonly url: string;
  /** The Secret with which controllers in other processes reach it. */
  readonly secretRef?: Required<ObjectRef>;
}

const KINDS = [Job, PodGroup, Queue];

/** The faults that the annotation of the execution target already asks for. */
const knownFaults = async (client: Client, name: string): Promise<Faults> => {
  const target = await getOrUndefined(client, MemberCluster, { name });
  return target === undefined ? NO_FAULTS : readFaults(target.metadata.annotations?.[FAULT]).faults;
};

/** Starts a member cluster in this process. */
export const hostMember = async (
  { name, nodes, processes }: MemberParts,
  { server, clock, logger, isForOthers }: HostOptions,
): Promise<RunningMember> => {
  const { client, url, registry } = await server.openCluster(name, { kinds: KINDS });
  await using stack = new AsyncDisposableStack();
  const troubles = server.troubles.of(name);
  const groups = {
    controllers: podGroupControllers({ client, clock }),
    groupedSchedulers: GROUPING_SCHEDULERS,
  };
  const run = { client, clock, logger, nodes, identity: name, troubles, ...groups };
  const member = { ...run, ...present({ processes }) };
  const runningMember = stack.use(await startMember(member));
  stack.use(registry.podLogs?.serve(runningMember.readPodLog));
  const secretRef = isForOthers ? await keepMemberSecret(server, name, url) : undefined;
  const faulty = new FaultyMember(client, clock);
  // Faults apply before the first request can reach the member; their controller only starts later.
  faulty.set(await knownFaults(server.client, name));
  const owned = stack.move();
  return {
    client,
    faulty,
    url,
    ...present({ secretRef }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
