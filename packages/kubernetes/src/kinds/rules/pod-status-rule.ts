import { isIPv6 } from 'node:net';
import { type FieldError, forbidden, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { checkDnsSubdomain, checkQualifiedName } from '@perigee/schema/values/names';
import { checkAddress } from './addresses.ts';
import { checkUnchanged } from './checks.ts';
import type { KindRule } from './kind-rule.ts';

type Errors = readonly FieldError[];

const OWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

const checkList = (status: JsonObject, name: string): Errors => {
  const field = `status.${name}`;
  const addresses = objectsAt(status, name).map((one) => textAt(one, 'ip'));
  const wrong = addresses.flatMap((address, index) => checkAddress(address, `${field}[${index}]`));
  const isRepeated = new Set(addresses.map(isIPv6)).size < addresses.length;
  const goAddresses = addresses.map((IP) => ({ IP }));
  return isRepeated && wrong.length === 0
    ? [invalid(field, goAddresses, 'may specify no more than one IP for each IP family')]
    : wrong;
};

const checkHost = (status: JsonObject): Errors => {
  const [first] = objectsAt(status, 'hostIPs');
  if (first === undefined) return [];
  const address = textAt(first, 'ip');
  return [
    ...(address === textAt(status, 'hostIP')
      ? []
      : [invalid('status.hostIPs[0].ip', address, 'must be equal to `hostIP`')]),
    ...checkList(status, 'hostIPs'),
  ];
};

/** Rules of `nominatedNodeName`, the node on which preemption makes room for the pod. */
const checkNominated = (pod: JsonObject, old: JsonObject): Errors => {
  const field = 'status.nominatedNodeName';
  const name = textAt(objectAt(pod, 'status'), 'nominatedNodeName');
  if (name === '' || name === textAt(objectAt(old, 'status'), 'nominatedNodeName')) return [];
  return [
    ...checkDnsSubdomain(name).map((problem) => invalid(field, name, problem)),
    ...(textAt(objectAt(old, 'spec'), 'nodeName') === ''
      ? []
      : [forbidden(field, 'may not be set on pods that are already bound to a node')]),
  ];
};

const checkConditions = (status: JsonObject): Errors =>
  objectsAt(status, 'conditions').flatMap((condition, index) => {
    const type = textAt(condition, 'type');
    return OWN_CONDITIONS.includes(type)
      ? []
      : checkQualifiedName(type).map((problem) =>
          invalid(`status.conditions[${index}].Type`, type, problem),
        );
  });

/** Rules of writes to the status of a pod. */
export const podStatusRule: KindRule = (pod, old = {}) => {
  const status = objectAt(pod, 'status');
  const before = objectAt(old, 'status');
  return [
    ...checkConditions(status),
    ...checkNominated(pod, old),
    ...checkUnchanged(status.qosClass, before.qosClass, 'status.qosClass'),
    ...checkList(status, 'podIPs'),
    ...checkHost(status),
  ];
};
