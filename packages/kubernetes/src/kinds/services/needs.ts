import type { JsonObject } from '@perigee/schema/json';
import { textsAt } from '@perigee/schema/json-fields';

export const HEADLESS = 'None';

/** Every service has addresses of its own or none (headless), but for those that only name another. */
export const needsAddress = ({ type }: JsonObject): boolean => type !== 'ExternalName';

export const isHeadless = (spec: JsonObject): boolean => spec.clusterIP === HEADLESS;

export const isOnNodes = ({ type }: JsonObject): boolean =>
  type === 'NodePort' || type === 'LoadBalancer';

/** True if its ports are to be given ports of the nodes; those that it asks for it gets anyway. */
export const wantsNodePorts = (spec: JsonObject): boolean =>
  spec.type === 'NodePort' ||
  (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

/** True if a load balancer has to ask the nodes which of them have pods of the service. */
export const needsHealthPort = ({ type, externalTrafficPolicy }: JsonObject): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

export const isExternal = (spec: JsonObject): boolean =>
  isOnNodes(spec) || (spec.type === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0);
