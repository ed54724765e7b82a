import { type FieldError, forbidden, invalid, required } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import { numberAt, objectAt, objectsAt, textAt } from '../fields.ts';
import type { Rule } from '../type-rules.ts';
import { checkBlock } from './addresses.ts';
import { checkPort, dnsLabelAt, dnsSubdomainAt, given, notEmpty, unchanged } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

type Errors = readonly FieldError[];

const checkBackendPort = (service: JsonObject, path: string): Errors => {
  const { name = '', number = 0 } = objectAt(service, 'port');
  if (name !== '' && number !== 0) {
    return [invalid(path, '', 'cannot set both port name & port number')];
  }
  if (name !== '') return checkPort(name, `${path}.service.port.name`);
  return number === 0
    ? [required(path, 'port name or number is required')]
    : checkPort(number, `${path}.service.port.number`);
};

const backendRule: Rule = (backend, path) => {
  if (backend.resource !== undefined && backend.service !== undefined) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (backend.resource !== undefined) return [];
  if (backend.service === undefined) {
    return [invalid(path, '', 'resource or service backend is required')];
  }
  const service = objectAt(backend, 'service');
  return [
    ...notEmpty(service, `${path}.service`, 'name'),
    ...dnsLabelAt(service, `${path}.service`, 'name'),
    ...checkBackendPort(service, path),
  ];
};

const pathRule: Rule = (rule, path) => {
  const text = textAt(rule, 'path');
  const mayBeEmpty = rule.pathType === 'ImplementationSpecific' && text === '';
  return rule.pathType === undefined || mayBeEmpty || text.startsWith('/')
    ? []
    : [invalid(`${path}.path`, text, 'must be an absolute path')];
};

const peerRule: Rule = (peer, path) => {
  const count = Object.keys(peer).length;
  if (count === 0) return [required(path, 'must specify a peer')];
  if (peer.ipBlock === undefined) return [];
  return [
    ...checkBlock(textAt(objectAt(peer, 'ipBlock'), 'cidr'), `${path}.ipBlock.cidr`),
    ...(count > 1 ? [forbidden(path, 'may not specify both ipBlock and another peer')] : []),
  ];
};

const httpRule: Rule = (rule, path) =>
  objectsAt(rule, 'paths').length === 0 ? [required(`${path}.paths`)] : [];

/** A range of ports goes from a number to one that is no less. */
const portRule: Rule = ({ port, endPort }, path) => {
  const wrong = port === undefined ? [] : checkPort(port, `${path}.port`);
  if (endPort === undefined) return wrong;
  const field = `${path}.endPort`;
  const why = (problem: string) => [...wrong, invalid(field, endPort, problem)];
  if (port === undefined) return why('may not be specified when `port` is not specified');
  if (typeof port !== 'number') return why('may not be specified when `port` is non-numeric');
  const isBelow = (numberAt({ endPort }, 'endPort') ?? 0) < port;
  return [
    ...wrong,
    ...(isBelow ? [invalid(field, port, 'must be greater than or equal to `port`')] : []),
    ...checkPort(endPort, field),
  ];
};

export const NETWORKING_RULES: readonly (readonly [type: string, rule: Rule])[] = [
  ['networking.v1.IngressBackend', backendRule],
  ['networking.v1.HTTPIngressPath', pathRule],
  ['networking.v1.HTTPIngressRuleValue', httpRule],
  ['networking.v1.NetworkPolicyPeer', peerRule],
  ['networking.v1.NetworkPolicyPort', portRule],
];

const ingress: KindRule = (object) => {
  const spec = objectAt(object, 'spec');
  return [
    ...(objectsAt(spec, 'rules').length === 0 && spec.defaultBackend === undefined
      ? [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...dnsSubdomainAt(spec, 'spec', 'ingressClassName'),
  ];
};

const ingressClass: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [
    ...given(spec, 'spec', 'controller'),
    ...(old === undefined
      ? []
      : unchanged(spec.controller, objectAt(old, 'spec').controller, 'spec.controller')),
  ];
};

export const NETWORKING_KIND_RULES: KindRules = [
  ['networking.v1.Ingress', ingress],
  ['networking.v1.IngressClass', ingressClass],
];
