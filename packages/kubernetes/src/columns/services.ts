import type { JsonObject } from '@perigee/schema/json';
import { age, text, textColumn, wide } from './column.ts';
import { at, countAt, firstFew, listAt, textAt, textsAt } from './fields.ts';
import { labelsText } from './selector-text.ts';

const MOST_SHOWN = 3;

/** The addresses that a load balancer gave, each once. */
export const loadBalancerAddresses = (object: JsonObject): readonly string[] => {
  const addresses = listAt(object, 'status', 'loadBalancer', 'ingress').map(
    (ingress) => textAt(ingress, 'ip') || textAt(ingress, 'hostname'),
  );
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
};

const externalAddress = (service: JsonObject): string => {
  const externalIps = textsAt(service, 'spec', 'externalIPs');
  switch (textAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIps.join(',') || '<none>';
    case 'LoadBalancer':
      return [...loadBalancerAddresses(service), ...externalIps].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
};

const portText = (port: JsonObject): string => {
  const nodePort = countAt(port, 'nodePort');
  const node = nodePort > 0 ? `:${nodePort}` : '';
  return `${countAt(port, 'port')}${node}/${textAt(port, 'protocol')}`;
};

export const serviceColumns = [
  textColumn('Type', 'How the service can be reached.', ['spec', 'type']),
  text(
    'Cluster-IP',
    'Its first address in the cluster.',
    (service) => textsAt(service, 'spec', 'clusterIPs')[0] ?? '<none>',
  ),
  text('External-IP', 'Its addresses for the world outside.', externalAddress),
  text(
    'Port(s)',
    'Its ports, with those on the nodes.',
    (service) => listAt(service, 'spec', 'ports').map(portText).join(',') || '<none>',
  ),
  age,
  wide('Selector', 'The labels by which its pods are found.', (service) =>
    labelsText(at(service, 'spec', 'selector')),
  ),
];

const withPort = (ip: string, port: JsonObject): string =>
  `${ip.includes(':') ? `[${ip}]` : ip}:${countAt(port, 'port')}`;

const addressesOf = (subset: JsonObject): readonly string[] => {
  const ips = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = listAt(subset, 'ports');
  return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => withPort(ip, port)));
};

export const endpointsColumns = [
  text('Endpoints', 'The addresses and ports behind the service.', (object) => {
    const subsets = listAt(object, 'subsets');
    const addresses = subsets.flatMap(addressesOf);
    return subsets.length === 0 ? '<none>' : firstFew(addresses, MOST_SHOWN, addresses.length);
  }),
  age,
];

export const endpointSliceColumns = [
  textColumn('AddressType', 'What sort of addresses it has.', ['addressType']),
  text('Ports', 'The ports of all of its endpoints.', (object) => {
    const ports = listAt(object, 'ports').map(
      (port) => textAt(port, 'port') || textAt(port, 'name') || '*',
    );
    return firstFew(ports, MOST_SHOWN, ports.length) || '<unset>';
  }),
  text('Endpoints', 'The addresses of its endpoints.', (object) => {
    const addresses = listAt(object, 'endpoints').flatMap((one) => textsAt(one, 'addresses'));
    return firstFew(addresses, MOST_SHOWN, addresses.length) || '<unset>';
  }),
  age,
];

const availability = (service: JsonObject): string => {
  const condition = listAt(service, 'status', 'conditions').find(
    ({ type }) => type === 'Available',
  );
  if (condition === undefined) return 'Unknown';
  const [status, reason] = [textAt(condition, 'status'), textAt(condition, 'reason')];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
};

/** The versions of the API in a server, and the servers behind them. */
export const apiServiceColumns = [
  text('Service', 'The service that serves this part of the API.', (service) =>
    at(service, 'spec', 'service') === undefined
      ? 'Local'
      : `${textAt(service, 'spec', 'service', 'namespace')}/${textAt(service, 'spec', 'service', 'name')}`,
  ),
  text('Available', 'Whether this part of the API is served.', availability),
  age,
];
