import { forbidden, invalid, notSupported, required } from '@perigee/schema/errors';
import { numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import type { Rule } from '../type-rules.ts';
import { checkBlock } from './addresses.ts';
import { checkPort, checkUnchanged, requireTexts } from './checks.ts';
import { INGRESS_RULES, ingressRule } from './ingress-rules.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

const peerRule: Rule = (peer, path) => {
  const count = Object.keys(peer).length;
  if (count === 0) return [required(path, 'must specify a peer')];
  if (peer.ipBlock === undefined) return [];
  return [
    ...checkBlock(textAt(objectAt(peer, 'ipBlock'), 'cidr'), `${path}.ipBlock.cidr`),
    ...(count > 1 ? [forbidden(path, 'may not specify both ipBlock and another peer')] : []),
  ];
};

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

/** A range of ports goes from a number to one that is no less. */
const portRule: Rule = ({ port, endPort, protocol = 'TCP' }, path) => {
  const wrong = [
    ...(PROTOCOLS.some((supportedProtocol) => supportedProtocol === protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...(port === undefined ? [] : checkPort(port, `${path}.port`)),
  ];
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
  ...INGRESS_RULES,
  ['networking.v1.NetworkPolicyPeer', peerRule],
  ['networking.v1.NetworkPolicyPort', portRule],
];

const ingressClass: KindRule = (object, old) => {
  const spec = objectAt(object, 'spec');
  return [
    ...requireTexts(spec, 'spec', 'controller'),
    ...(old === undefined
      ? []
      : checkUnchanged(spec.controller, objectAt(old, 'spec').controller, 'spec.controller')),
  ];
};

export const NETWORKING_KIND_RULES: KindRules = [
  ['networking.v1.Ingress', ingressRule],
  ['networking.v1.IngressClass', ingressClass],
];
