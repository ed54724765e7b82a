import {
  HEADLESS,
  isOnNodes,
  needsAddress,
  needsHealthPort,
} from '@perigee/kubernetes/kinds/services/needs';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textsAt } from '@perigee/schema/json-fields';

/** An address or a port of the nodes that only one service can have. */
export type Allocation = string;

export const portAllocation = (port: number): Allocation => `:${port}`;

const portsOf = (spec: JsonObject): readonly number[] => [
  ...(isOnNodes(spec)
    ? objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0)
    : []),
  ...(needsHealthPort(spec) ? [numberAt(spec, 'healthCheckNodePort') ?? 0] : []),
];

/** Exclusive allocations of a service. */
export const allocationsOf = (service: JsonObject): readonly Allocation[] => {
  const spec = objectAt(service, 'spec');
  const addresses = needsAddress(spec) ? textsAt(spec, 'clusterIPs') : [];
  return [
    ...addresses.filter((address) => address !== HEADLESS && address !== ''),
    ...portsOf(spec)
      .filter((port) => port !== 0)
      .map(portAllocation),
  ];
};
