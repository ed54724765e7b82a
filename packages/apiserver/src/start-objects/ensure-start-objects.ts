import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { Clock } from '@perigee/kube/clock/clock';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { USUAL_SERVICE_RANGE } from '../service-allocation/service-network.ts';
import { type ApiServiceOptions, ensureApiService } from './ensure-api-service.ts';
import { startKind } from './start-kind.ts';

const ServiceCIDR = startKind('networking.k8s.io', 'ServiceCIDR', 'servicecidrs', 'Cluster');

/** The range of service addresses, as an object that clients read. It cannot be changed while it is used. */
const ensureServiceRange = async (
  client: Client,
  clock: Clock,
  serviceRange = USUAL_SERVICE_RANGE,
): Promise<void> => {
  const range = { metadata: { name: 'kubernetes' }, spec: { cidrs: [serviceRange] } };
  const createdRange = await ensure(client, ServiceCIDR, range);
  if (createdRange === undefined) return;
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(clock.now()),
  };
  await patchStatus(client, ServiceCIDR, createdRange, { conditions: [ready] });
};

const ConfigMap = startKind('', 'ConfigMap', 'configmaps');
const PriorityClass = startKind('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', 'Cluster');

const CLASSES = [
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'For pods that the system needs, and that must stay on their node.',
  },
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description: 'For pods that the system needs, and that may move to another node.',
  },
];

export interface StartObjectsOptions {
  readonly clock: Clock;
  /** The certificates of those who vouch for clients, in PEM. */
  readonly authority?: string;
  /** Address of the server; without it the cluster has no endpoints of its API. */
  readonly listens?: Pick<ApiServiceOptions, 'host' | 'port'>;
  readonly serviceRange?: string;
}

const inSystem = (name: string) => ({ name, namespace: 'kube-system' });

/** Since when uses of old tokens are noted. */
const ensureTokenTracking = (client: Client, clock: Clock): Promise<unknown> => {
  const since = new Date(clock.now()).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const metadata = inSystem('kube-apiserver-legacy-service-account-token-tracking');
  return ensure(client, ConfigMap, { metadata, data: { since } } as never);
};

/** Publishes the authority of client certificates, for servers that extend the API. */
const ensureClientAuthority = (client: Client, authority: string): Promise<unknown> => {
  const data = { 'client-ca-file': authority };
  const metadata = inSystem('extension-apiserver-authentication');
  return ensure(client, ConfigMap, { metadata, data } as never, { patch: { data } });
};

/** Writes the objects that clients expect of every API server, where they are missing. */
export const ensureStartObjects = async (
  client: Client,
  options: StartObjectsOptions,
): Promise<void> => {
  const { clock, authority, listens, serviceRange } = options;
  await Promise.all([
    ...CLASSES.map((priority) => ensure(client, PriorityClass, priority)),
    ensureTokenTracking(client, clock),
    ensureServiceRange(client, clock, serviceRange),
    ...(authority === undefined ? [] : [ensureClientAuthority(client, authority)]),
    ...(listens === undefined
      ? []
      : [ensureApiService(client, { ...listens, ...present({ serviceRange }) })]),
  ]);
};
