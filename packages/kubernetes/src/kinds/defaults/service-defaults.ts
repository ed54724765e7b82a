import type { JsonObject } from '@perigee/schema/json';
import {
  changedAt,
  changedItems,
  filled,
  objectAt,
  textAt,
  withField,
} from '@perigee/schema/json-fields';
import { present } from '@perigee/schema/present';
import type { Default } from '../type-defaults.ts';

const THREE_HOURS = 10_800;

const withAffinity: Default = (spec) => {
  const filledSpec = filled(spec, { sessionAffinity: 'None' });
  if (filledSpec.sessionAffinity === 'None')
    return withField(filledSpec, 'sessionAffinityConfig', undefined);
  if (filledSpec.sessionAffinity !== 'ClientIP') return filledSpec;
  const { timeoutSeconds } = objectAt(filledSpec, 'sessionAffinityConfig', 'clientIP');
  return timeoutSeconds === undefined
    ? { ...filledSpec, sessionAffinityConfig: { clientIP: { timeoutSeconds: THREE_HOURS } } }
    : filledSpec;
};

const withTargetPort: Default = (port) =>
  port.targetPort === undefined || port.targetPort === 0 || port.targetPort === ''
    ? withField(port, 'targetPort', port.port)
    : port;

const isReachableFromOutside = ({ type, externalIPs }: JsonObject): boolean =>
  type === 'LoadBalancer' ||
  type === 'NodePort' ||
  (type === 'ClusterIP' && Array.isArray(externalIPs) && externalIPs.length > 0);

const serviceSpec: Default = (spec) => {
  const typed = filled(withAffinity(spec), { type: 'ClusterIP' });
  const defaults = present({
    externalTrafficPolicy: isReachableFromOutside(typed) ? 'Cluster' : undefined,
    internalTrafficPolicy: typed.type === 'ExternalName' ? undefined : 'Cluster',
    allocateLoadBalancerNodePorts: typed.type === 'LoadBalancer' || undefined,
  });
  return filled(changedItems(typed, 'ports', withTargetPort), defaults);
};

/** The `ipMode` of a load balancer with an IP alone is VIP: traffic goes to that address. */
const service: Default = (object) =>
  objectAt(object, 'spec').type !== 'LoadBalancer'
    ? object
    : changedAt(object, 'status', (status) =>
        changedAt(status, 'loadBalancer', (balancer) =>
          changedItems(balancer, 'ingress', (ingress) =>
            textAt(ingress, 'ip') === '' ? ingress : filled(ingress, { ipMode: 'VIP' }),
          ),
        ),
      );

const networkPolicy: Default = (spec) =>
  filled(spec, {
    policyTypes: spec.egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'],
  });

export const SERVICE_DEFAULTS: readonly (readonly [type: string, apply: Default])[] = [
  ['core.v1.Service', service],
  ['core.v1.ServiceSpec', serviceSpec],
  ['core.v1.EndpointPort', (port) => filled(port, { protocol: 'TCP' })],
  ['discovery.v1.EndpointPort', (port) => filled(port, { name: '', protocol: 'TCP' })],
  ['networking.v1.NetworkPolicySpec', networkPolicy],
  ['networking.v1.NetworkPolicyPort', (port) => filled(port, { protocol: 'TCP' })],
  [
    'networking.v1.IngressClassParametersReference',
    (reference) => filled(reference, { scope: 'Cluster' }),
  ],
];
