import { duplicate, type FieldError, forbidden, invalid, required } from '@perigee/schema/errors';
import { goStruct } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import { HEADLESS, isHeadless, needsAddress } from '../services/needs.ts';
import { checkAddress } from './addresses.ts';
import { checkLabels, checkPort, dnsLabelAt, inRange, isPort } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';
import { checkAddresses, checkAddressUpdate, checkTraffic } from './service-address-rules.ts';

type Errors = readonly FieldError[];

const checkServicePort = (port: JsonObject, path: string, isNamed: boolean): Errors => {
  const number = numberAt(port, 'port');
  return [
    ...(isNamed && textAt(port, 'name') === '' ? [required(`${path}.name`)] : []),
    ...dnsLabelAt(port, path, 'name'),
    ...(number === undefined || isPort(number)
      ? []
      : [invalid(`${path}.port`, number, inRange(1, 65_535))]),
    ...checkPort(port.targetPort, `${path}.targetPort`),
  ];
};

/** Kubernetes shows a port that is there twice as a port of Go, with nothing but what repeats. */
const samePort = (path: string, { protocol, port }: JsonObject): FieldError => ({
  ...duplicate(path),
  message: `Duplicate value: ${goStruct({
    Name: '',
    Protocol: protocol,
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  })}`,
});

const checkRepeats = (spec: JsonObject): Errors => {
  const names = new Set<string>();
  const numbers = new Set<string>();
  const nodePorts = new Set<string>();
  return objectsAt(spec, 'ports').flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    const name = textAt(port, 'name');
    const number = `${port.protocol}/${port.port}`;
    const nodePort = numberAt(port, 'nodePort') ?? 0;
    const onNode = `${port.protocol}/${nodePort}`;
    const errors = [
      ...(name !== '' && names.has(name) ? [duplicate(`${path}.name`, name)] : []),
      ...(numbers.has(number) ? [samePort(path, port)] : []),
      ...(nodePort !== 0 && nodePorts.has(onNode) ? [duplicate(`${path}.nodePort`, nodePort)] : []),
      ...(nodePort !== 0 && spec.type === 'ClusterIP'
        ? [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : []),
    ];
    names.add(name);
    numbers.add(number);
    nodePorts.add(onNode);
    return errors;
  });
};

const checkType = (spec: JsonObject): Errors => {
  const { type } = spec;
  if (type === 'ExternalName') {
    const name = textAt(spec, 'externalName').replace(/\.$/, '');
    return name === ''
      ? [required('spec.externalName')]
      : checkDnsSubdomain(name).map((problem) => invalid('spec.externalName', name, problem));
  }
  return [
    ...(objectsAt(spec, 'ports').length === 0 && !isHeadless(spec) ? [required('spec.ports')] : []),
    ...(isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort')
      ? [invalid('spec.clusterIPs[0]', HEADLESS, `may not be set to 'None' for ${type} services`)]
      : []),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer'
      ? [
          forbidden(
            'spec.allocateLoadBalancerNodePorts',
            "may only be used when `type` is 'LoadBalancer'",
          ),
        ]
      : []),
  ];
};

/** Addresses that cannot be allocated are reported before anything else is checked. */
export const addressesOfService: KindRule = (object, _old, subresource) => {
  const spec = objectAt(object, 'spec');
  return subresource === 'status' || !needsAddress(spec) ? [] : checkAddresses(spec);
};

const service: KindRule = (object, old, subresource) => {
  if (subresource === 'status') return [];
  const spec = objectAt(object, 'spec');
  const before = old === undefined ? undefined : objectAt(old, 'spec');
  const ports = objectsAt(spec, 'ports');
  return [
    ...(needsAddress(spec) ? [] : checkAddresses(spec)),
    ...(before === undefined ? [] : checkAddressUpdate(spec, before)),
    ...checkType(spec),
    ...ports.flatMap((port, index) =>
      checkServicePort(port, `spec.ports[${index}]`, ports.length > 1),
    ),
    ...checkRepeats(spec),
    ...checkLabels(spec, 'selector', 'spec.selector'),
    ...checkTraffic(spec, before),
    ...textsAt(spec, 'externalIPs').flatMap((address, index) =>
      checkAddress(address, `spec.externalIPs[${index}]`),
    ),
  ];
};

/** Only a balancer can have an address. */
const serviceWithStatus: KindRule = (object, old, subresource) => [
  ...service(object, old),
  ...(subresource === 'status' &&
  objectAt(object, 'spec').type !== 'LoadBalancer' &&
  objectsAt(objectAt(object, 'status', 'loadBalancer'), 'ingress').length > 0
    ? [
        forbidden(
          'status.loadBalancer.ingress',
          "may only be used when `spec.type` is 'LoadBalancer'",
        ),
      ]
    : []),
];

const endpointSlice: KindRule = (object, old) => {
  const names = new Set<string>();
  const isAddress = object.addressType !== 'FQDN';
  return [
    ...(old === undefined || object.addressType === old.addressType
      ? []
      : [invalid('addressType', object.addressType, 'field is immutable')]),
    ...objectsAt(object, 'ports').flatMap((port, index) => {
      const name = textAt(port, 'name');
      const errors = names.has(name) ? [duplicate(`ports[${index}].name`, name)] : [];
      names.add(name);
      return errors;
    }),
    ...objectsAt(object, 'endpoints').flatMap((endpoint, index) => {
      const field = `endpoints[${index}].addresses`;
      const addresses = textsAt(endpoint, 'addresses');
      if (addresses.length === 0) return [required(field, 'must contain at least 1 address')];
      return isAddress
        ? addresses.flatMap((address, at) => checkAddress(address, `${field}[${at}]`))
        : [];
    }),
  ];
};

const endpoints: KindRule = (object) =>
  objectsAt(object, 'subsets').flatMap((subset, index) => {
    const path = `subsets[${index}]`;
    const lists = ['addresses', 'notReadyAddresses'];
    if (lists.every((list) => objectsAt(subset, list).length === 0)) {
      return [required(path, 'must specify `addresses` or `notReadyAddresses`')];
    }
    return lists.flatMap((list) =>
      objectsAt(subset, list).flatMap((address, at) =>
        checkAddress(textAt(address, 'ip'), `${path}.${list}[${at}].ip`),
      ),
    );
  });

export const SERVICE_RULES: KindRules = [
  ['core.v1.Service', serviceWithStatus],
  ['core.v1.Endpoints', endpoints],
  ['discovery.v1.EndpointSlice', endpointSlice],
];
