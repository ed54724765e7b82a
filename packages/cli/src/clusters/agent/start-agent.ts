import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { leftoversController } from '@perigee/controllers/clusters/leftovers/leftovers-controller';
import { clusterRoomController } from '@perigee/controllers/clusters/room/cluster-room-controller';
import {
  clusterLeaseController,
  LEASE_NAMESPACE,
} from '@perigee/controllers/clusters/status/cluster-lease-controller';
import { clusterStatusController } from '@perigee/controllers/clusters/status/cluster-status-controller';
import { MemberUsages } from '@perigee/controllers/clusters/status/member-usages';
import { gangReportController } from '@perigee/controllers/groups/gang-report-controller';
import { memberGroupsController } from '@perigee/controllers/groups/member-groups-controller';
import { agentClient } from '@perigee/controllers/members/agent-client';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { MemberInformers } from '@perigee/controllers/members/member-informers';
import { executionController } from '@perigee/controllers/placement/execution/execution-controller';
import { workDegradedController } from '@perigee/controllers/placement/work-status/work-degraded-controller';
import { workStatusController } from '@perigee/controllers/placement/work-status/work-status-controller';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { present } from '@perigee/schema/present';

/** Details for registering a cluster that the control plane does not know yet. */
export interface Registration {
  readonly provider?: string;
  readonly region?: string;
  readonly zone?: string;
}

export interface AgentOptions {
  /** The control plane. */
  readonly client: Client;
  /** The member that the agent manages. */
  readonly member: Client;
  /** Its name in the control plane. */
  readonly cluster: string;
  readonly registration?: Registration;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FIELD_MANAGER = 'perigee-agent';

/** Registers the cluster in the control plane. Refuses clusters in push mode: they need no agent. */
const register = async ({ client, cluster: name, registration = {} }: AgentOptions) => {
  const storedCluster = await getOrUndefined(client, MemberCluster, { name });
  if (storedCluster?.spec.syncMode === 'Push') {
    throw new ConfigError(
      `the control plane works with cluster ${name} itself: its spec.syncMode is Push. ` +
        'Give the agent another --cluster, or delete that Cluster first',
    );
  }
  if (storedCluster !== undefined) return;
  const { provider, region, zone } = registration;
  const spec = {
    syncMode: 'Pull',
    ...present({ provider, region, zones: zone === undefined ? undefined : [zone] }),
  } as const;
  const options = { fieldManager: FIELD_MANAGER };
  await ensure(client, MemberCluster, { metadata: { name }, spec }, options);
};

/** The namespace of the agent's lease. */
const ensureLeaseNamespace = async ({ client }: AgentOptions): Promise<void> => {
  const name = LEASE_NAMESPACE;
  // An agent's rights may include reading the namespace and not creating it.
  if ((await getOrUndefined(client, Namespace, { name })) !== undefined) return;
  await ensure(client, Namespace, { metadata: { name } });
};

/** Runs the controllers for one cluster from inside it; in push mode the control plane runs them. */
export const startAgent = async (options: AgentOptions): Promise<AsyncDisposable> => {
  const { client, member, cluster, clock, logger } = options;
  await register(options);
  await ensureLeaseNamespace(options);
  await using stack = new AsyncDisposableStack();
  const near = new InProcessMembers(({ metadata }) =>
    metadata.name === cluster ? member : undefined,
  );
  const members = stack.use(new MemberInformers({ members: near, clock }));
  const interpreter = createInterpreter([...nativeKinds, ...frameworkKinds]);
  const clusters = [cluster];
  const usages = new MemberUsages();
  const controllers = [
    clusterLeaseController({ cluster }),
    clusterStatusController({ members: near, usages, clusters }),
    clusterRoomController({ usages }),
    leftoversController({ members: near, clusters }),
    executionController({ members, interpreter, clusters }),
    workStatusController({ members, interpreter, clusters }),
    workDegradedController({ members, clusters }),
    memberGroupsController({ members: near, clock, clusters }),
    gangReportController({ members: near, clock, cluster }),
  ];
  const own = agentClient(client, cluster);
  const manager = stack.use(new Manager({ client: own, clock, logger, controllers }));
  await manager.start();
  const resources = stack.move();
  return { [Symbol.asyncDispose]: () => resources.disposeAsync() };
};
