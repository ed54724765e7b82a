import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Pod } from '@perigee/kubernetes/core/pod';
import type { Service, ServicePort } from '@perigee/kubernetes/core/service';
import type {
  Endpoint,
  EndpointPort,
  EndpointSliceWritten,
} from '@perigee/kubernetes/discovery/endpoint-slice';
import { present } from '@perigee/schema/present';
import { templateHash } from '../deployment/new-replica-set.ts';
import { isFinished, isPodReady, isTerminating } from '../pods/pod-state.ts';

const PER_SLICE = 100;

const portOf = (port: ServicePort): EndpointPort => {
  const { name = '', targetPort = port.port, protocol = 'TCP', appProtocol } = port;
  return {
    name,
    protocol,
    // Virtual pods open no ports: a named port resolves to that of the service.
    port: typeof targetPort === 'number' ? targetPort : port.port,
    ...present({ appProtocol }),
  };
};

const endpointOf = (pod: Pod, publishesAll: boolean): Endpoint => {
  const { metadata, spec, status } = pod;
  const { name, namespace = '', uid } = metadata;
  const serving = isPodReady(pod);
  const terminating = isTerminating(pod);
  return {
    addresses: [status?.podIP ?? ''],
    conditions: { ready: publishesAll || (serving && !terminating), serving, terminating },
    ...present({
      hostname: spec.hostname && spec.subdomain ? spec.hostname : undefined,
      nodeName: spec.nodeName || undefined,
    }),
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
};

/** The endpoints of a service, at most 100 a slice; one empty slice when there are none. */
export const makeSlices = (
  service: Service,
  pods: readonly Pod[],
): readonly EndpointSliceWritten[] => {
  const { metadata, spec } = service;
  const { name, namespace = '', uid } = metadata;
  const endpoints = pods
    .filter((pod) => pod.status?.podIP !== undefined && !isFinished(pod))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((pod) => endpointOf(pod, spec?.publishNotReadyAddresses === true));
  const ports = (spec?.ports ?? []).map(portOf);
  const count = Math.max(1, Math.ceil(endpoints.length / PER_SLICE));
  const suffix = templateHash(uid).slice(0, 5);
  return Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `${name}-${suffix}${index === 0 ? '' : index}`,
      namespace,
      labels: {
        ...metadata.labels,
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [ownerReferenceTo(service, { controller: true, blockOwnerDeletion: true })],
    },
    addressType: 'IPv4',
    endpoints: endpoints.slice(index * PER_SLICE, (index + 1) * PER_SLICE),
    ports,
  }));
};
