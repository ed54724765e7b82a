import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type {
  ApiEnablement,
  ClusterStatus,
} from '@perigee/api/kinds/clusters/member-cluster-status';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import type { Sighting } from '@perigee/scheduling/clusters/health/ready-condition';
import {
  apiEnablements,
  enablementsCondition,
} from '@perigee/scheduling/clusters/status/api-enablements';
import type { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { present, unlessEmpty } from '@perigee/schema/present';

export interface Patience {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with the error, for logs: the status only has that the call failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Undefined if the call fails or times out; only an abort of the reconcile itself is thrown. */
const tryCall = async <T>(
  { clock, timeoutMs, signal, onFailure }: Patience,
  call: (options: Required<CallOptions>) => Promise<T>,
): Promise<T | undefined> => {
  using deadline = deadlineAfter(clock, timeoutMs, signal);
  try {
    return await call({ signal: deadline.signal });
  } catch (error) {
    signal.throwIfAborted();
    onFailure(error);
    return undefined;
  }
};

/** A server without /readyz is ready if it answers at all. */
const isReady = async (client: Client, options: CallOptions): Promise<boolean> => {
  if (client.ready !== undefined) return client.ready(options);
  await client.version(options);
  return true;
};

/** Probes the readiness of a member. */
export const probeMember = async (
  client: Client | undefined,
  patience: Patience,
  whyNot = 'its address or credentials are missing or wrong',
): Promise<Sighting> => {
  if (client === undefined) return { kind: 'no-way', why: whyNot };
  const ready = await tryCall(patience, (options) => isReady(client, options));
  if (ready === undefined) return { kind: 'unreachable' };
  return { kind: ready ? 'healthy' : 'unhealthy' };
};

interface Discovery {
  readonly enablements: readonly ApiEnablement[];
  readonly condition: NewCondition<'MemberCluster'>;
}

/** Groups whose discovery failed this time are kept from the previous status. */
const discover = async (
  client: Client,
  before: readonly ApiEnablement[],
  patience: Patience,
): Promise<Discovery> => {
  const missingVersions = new Set<string>();
  const onMissing = (apiVersion: string) => void missingVersions.add(apiVersion);
  const resources = await tryCall(patience, (options) =>
    client.discover({ ...options, onMissing }),
  );
  const discoveredEnablements = apiEnablements(resources ?? []);
  const condition = enablementsCondition(discoveredEnablements, missingVersions.size === 0);
  if (discoveredEnablements.length === 0) return { enablements: before, condition };
  const names = new Set(discoveredEnablements.map(({ groupVersion }) => groupVersion));
  const retainedEnablements = before.filter(
    ({ groupVersion }) => missingVersions.has(groupVersion) && !names.has(groupVersion),
  );
  const enablements = [...discoveredEnablements, ...retainedEnablements].sort((a, b) =>
    a.groupVersion < b.groupVersion ? -1 : 1,
  );
  return { enablements, condition };
};

/** The status of a cluster from a probe of a healthy member. */
export const statusOfMember = async (
  { spec, status = {} }: MemberCluster,
  client: Client,
  usage: ClusterUsage | undefined,
  patience: Patience,
): Promise<ClusterStatus> => {
  const [version, { enablements, condition }] = await Promise.all([
    tryCall(patience, (options) => client.version(options)),
    discover(client, status.apiEnablements ?? [], patience),
  ]);
  return {
    ...status,
    ...present({
      kubernetesVersion: version?.gitVersion,
      apiEnablements: unlessEmpty(enablements),
      nodeSummary: usage?.nodeSummary(),
      resourceSummary: usage?.resourceSummary(spec.resourceModels),
    }),
    conditions: setCondition(status.conditions, condition, patience.clock.now()),
  };
};
