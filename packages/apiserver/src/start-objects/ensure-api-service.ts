import { isIP, isIPv6 } from 'node:net';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { ApiError } from '@perigee/kube/errors';
import {
  addressOfNumber,
  parseServiceRange,
  USUAL_SERVICE_RANGE,
} from '../service-allocation/service-network.ts';
import { startKind } from './start-kind.ts';

const Service = startKind('', 'Service', 'services');
const Endpoints = startKind('', 'Endpoints', 'endpoints');
const EndpointSlice = startKind('discovery.k8s.io', 'EndpointSlice', 'endpointslices');

const [NAMESPACE, NAME] = ['default', 'kubernetes'];

export interface ApiServiceOptions {
  /** Host of the listener. */
  readonly host: string;
  readonly port: number;
  /** The block of which the service has the first address. */
  readonly serviceRange?: string;
}

/** Nobody else reaches a server that only its own machine can reach. */
const isReachable = (host: string): boolean =>
  isIP(host) !== 0 && !host.startsWith('127.') && !['::1', '0.0.0.0', '::'].includes(host);

const ensureService = async (client: Client, { host, port, serviceRange }: ApiServiceOptions) => {
  const { first } = parseServiceRange(serviceRange ?? USUAL_SERVICE_RANGE);
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const spec = {
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
    sessionAffinity: 'None',
    type: 'ClusterIP',
  };
  const metadata = { name: NAME, namespace: NAMESPACE, labels };
  const ensureWith = (fields: object) =>
    ensure(client, Service, { metadata, ...fields }, isReachable(host) ? { patch: { spec } } : {});
  try {
    await ensureWith({ spec: { ...spec, clusterIP: addressOfNumber(first) } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    // A service of an older day may have the address.
    await ensureWith({ spec });
  }
};

const ensureEndpoints = async (client: Client, { host, port }: ApiServiceOptions) => {
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const subsets = [{ addresses: [{ ip: host }], ports }];
  const metadata = { name: NAME, namespace: NAMESPACE };
  const skipLabels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  const endpointsObject = { metadata: { ...metadata, labels: skipLabels }, subsets };
  await ensure(client, Endpoints, endpointsObject, { patch: { subsets } });
  const endpoints = [{ addresses: [host], conditions: { ready: true } }];
  const labels = { 'kubernetes.io/service-name': NAME };
  const addressType = isIPv6(host) ? 'IPv6' : 'IPv4';
  const slice = { metadata: { ...metadata, labels }, addressType, endpoints, ports };
  await ensure(client, EndpointSlice, slice, { patch: { endpoints, ports } });
};

/** The service `kubernetes`, and its endpoints if the address of the server is known. */
export const ensureApiService = async (
  client: Client,
  options: ApiServiceOptions,
): Promise<void> => {
  await ensureService(client, options);
  if (isReachable(options.host)) await ensureEndpoints(client, options);
};
