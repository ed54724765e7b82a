import { isIP } from 'node:net';
import { type FieldError, invalid, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt, objectAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import {
  checkDnsSubdomain,
  checkPathSegment,
  checkWildcardSubdomain,
} from '@perigee/schema/values/names';
import type { Rule } from '../type-rules.ts';
import { checkAddress } from './addresses.ts';
import { checkedText, checkPort, dnsLabelAt, dnsSubdomainAt, requireTexts } from './checks.ts';
import type { KindRule } from './kind-rule.ts';

type Errors = readonly FieldError[];

const CLASS = 'kubernetes.io/ingress.class';
const NO_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const NO_ENDINGS = ['/..', '/.'];

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

const checkReference = (resource: JsonObject, path: string): Errors => [
  ...dnsSubdomainAt(resource, path, 'apiGroup'),
  ...requireTexts(resource, path, 'kind', 'name'),
  ...['kind', 'name'].flatMap((name) => checkedText(resource, path, name, checkPathSegment)),
];

const backendRule: Rule = (backend, path) => {
  if (backend.resource !== undefined && backend.service !== undefined) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (backend.resource !== undefined) {
    return checkReference(objectAt(backend, 'resource'), `${path}.resource`);
  }
  if (backend.service === undefined) {
    return [invalid(path, '', 'resource or service backend is required')];
  }
  const service = objectAt(backend, 'service');
  return [
    ...requireTexts(service, `${path}.service`, 'name'),
    ...dnsLabelAt(service, `${path}.service`, 'name'),
    ...checkBackendPort(service, path),
  ];
};

const checkPath = (rule: JsonObject, path: string): Errors => {
  const text = textAt(rule, 'path');
  const isStrict = rule.pathType === 'Exact' || rule.pathType === 'Prefix';
  const wrong = (why: string): FieldError => invalid(`${path}.path`, text, why);
  return [
    ...((isStrict || text !== '') && !text.startsWith('/')
      ? [wrong('must be an absolute path')]
      : []),
    ...(isStrict ? NO_SEQUENCES : [])
      .filter((part) => text.includes(part))
      .map((part) => wrong(`must not contain '${part}'`)),
    ...(isStrict ? NO_ENDINGS : [])
      .filter((part) => text.endsWith(part))
      .map((part) => wrong(`cannot end with '${part}'`)),
  ];
};

/** The path type decides how the path is parsed; without it nothing else is checked. */
const pathRule: Rule = (rule, path) => {
  if (rule.pathType === undefined) {
    return [required(`${path}.pathType`, 'pathType must be specified')];
  }
  return [...checkPath(rule, path), ...backendRule(objectAt(rule, 'backend'), `${path}.backend`)];
};

const hostProblems = (host: string): readonly string[] =>
  host.includes('*') ? checkWildcardSubdomain(host) : checkDnsSubdomain(host);

const hostRule: Rule = (rule, path) => {
  const host = textAt(rule, 'host');
  if (host === '') return [];
  const problems = [
    ...(isIP(host) === 0 ? [] : ['must be a DNS name, not an IP address']),
    ...hostProblems(host),
  ];
  return problems.map((problem) => invalid(`${path}.host`, host, problem));
};

const httpRule: Rule = (rule, path) =>
  objectsAt(rule, 'paths').length === 0 ? [required(`${path}.paths`)] : [];

const tlsRule: Rule = (tls, path) => [
  ...textsAt(tls, 'hosts').flatMap((host, index) =>
    hostProblems(host).map((problem) => invalid(`${path}.hosts[${index}]`, host, problem)),
  ),
  ...dnsSubdomainAt(tls, path, 'secretName'),
];

const balancerRule: Rule = (balancer, path) => {
  const [address, host] = [textAt(balancer, 'ip'), textAt(balancer, 'hostname')];
  return [
    ...(address === '' ? [] : checkAddress(address, `${path}.ip`)),
    ...dnsSubdomainAt(balancer, path, 'hostname'),
    ...(isIP(host) === 0
      ? []
      : [invalid(`${path}.hostname`, host, 'must be a DNS name, not an IP address')]),
  ];
};

export const INGRESS_RULES: readonly (readonly [type: string, rule: Rule])[] = [
  ['networking.v1.HTTPIngressPath', pathRule],
  ['networking.v1.HTTPIngressRuleValue', httpRule],
  ['networking.v1.IngressRule', hostRule],
  ['networking.v1.IngressTLS', tlsRule],
  ['networking.v1.IngressLoadBalancerIngress', balancerRule],
];

export const ingressRule: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  const { ingressClassName: name } = spec;
  const classAnnotation = mapAt(object, 'metadata', 'annotations')[CLASS];
  const isTorn =
    old === undefined &&
    classAnnotation !== undefined &&
    name !== undefined &&
    classAnnotation !== name;
  return [
    ...(objectsAt(spec, 'rules').length === 0 && spec.defaultBackend === undefined
      ? [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(spec.defaultBackend === undefined
      ? []
      : backendRule(objectAt(spec, 'defaultBackend'), 'spec.defaultBackend')),
    ...dnsSubdomainAt(spec, 'spec', 'ingressClassName'),
    ...(isTorn
      ? [
          invalid(
            `annotations.${CLASS}`,
            classAnnotation,
            'must match `ingressClassName` when both are specified',
          ),
        ]
      : []),
  ];
};
