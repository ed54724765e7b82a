import { isIPv6 } from 'node:net';
import { duplicate, type FieldError, forbidden, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, textAt, textsAt } from '@perigee/schema/json-fields';
import {
  HEADLESS,
  isExternal,
  isHeadless,
  needsAddress,
  needsHealthPort,
} from '../services/needs.ts';
import { checkAddress } from './addresses.ts';
import { inRange, isPort } from './checks.ts';

type Errors = readonly FieldError[];

const LIST = 'spec.clusterIPs';

/** The first address is the first of the list. */
const checkList = (address: string, list: readonly string[]): Errors => {
  if (address === '') {
    return list.length === 0
      ? []
      : [invalid(LIST, list, 'must be empty when `clusterIP` is not specified')];
  }
  return list[0] === address ? [] : [invalid(LIST, list, 'first value must match `clusterIP`')];
};

const checkEach = (list: readonly string[]): Errors =>
  list.flatMap((address, index) => {
    if (index > 0 || address !== HEADLESS) return checkAddress(address, `${LIST}[${index}]`);
    return list.length > 1 ? [invalid(LIST, list, "'None' must be the first and only value")] : [];
  });

const familyOf = (address: string): string => (isIPv6(address) ? 'IPv6' : 'IPv4');

const checkFamilies = (list: readonly string[], families: readonly string[]): Errors => [
  ...(new Set(list.map(familyOf)).size < list.length
    ? [invalid(LIST, list, 'may specify no more than one IP for each IP family')]
    : []),
  ...list.flatMap((address, index) => {
    const family = families[index];
    return family === undefined || family === familyOf(address) || address === HEADLESS
      ? []
      : [
          invalid(
            `${LIST}[${index}]`,
            address,
            `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
          ),
        ];
  }),
];

/** Problems of the addresses that a service asks for, before their allocation. */
export const checkAddresses = (spec: JsonObject): Errors => {
  const list = textsAt(spec, 'clusterIPs');
  if (!needsAddress(spec)) {
    const why = 'may not be set for ExternalName services';
    return list.length === 0 ? [] : [forbidden(LIST, why)];
  }
  const families = textsAt(spec, 'ipFamilies');
  const firstAt = new Map(families.map((family, index) => [family, index] as const).toReversed());
  const repeated = families.flatMap((family, index) =>
    firstAt.get(family) !== index ? [duplicate(`spec.ipFamilies[${index}]`, family)] : [],
  );
  const each = checkEach(list);
  const both = [...checkList(textAt(spec, 'clusterIP'), list), ...repeated, ...each];
  if (each.length > 0) return both;
  const tooMany = list.length > 2 ? [invalid(LIST, list, 'may only hold up to 2 values')] : [];
  return [...both, ...tooMany, ...checkFamilies(list, families)];
};

/** The address of a service is its own for as long as it has one. */
export const checkAddressUpdate = (spec: JsonObject, old: JsonObject): Errors => {
  if (!needsAddress(spec) || !needsAddress(old) || (isHeadless(spec) && isHeadless(old))) return [];
  const list = textsAt(spec, 'clusterIPs');
  return textsAt(old, 'clusterIPs').flatMap((address, index) =>
    list[index] === undefined || list[index] === address
      ? []
      : [invalid(`${LIST}[${index}]`, list, 'may not change once set')],
  );
};

const checkHealthPort = (spec: JsonObject, old: JsonObject | undefined): Errors => {
  const field = 'spec.healthCheckNodePort';
  const port = numberAt(spec, 'healthCheckNodePort') ?? 0;
  if (!needsHealthPort(spec)) {
    const why =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    return port === 0 ? [] : [invalid(field, port, why)];
  }
  const isMoved =
    old !== undefined &&
    needsHealthPort(old) &&
    port !== (numberAt(old, 'healthCheckNodePort') ?? 0);
  return [
    ...(isMoved ? [forbidden(field, 'field is immutable')] : []),
    ...(port === 0 || isPort(port) ? [] : [invalid(field, port, inRange(1, 65_535))]),
  ];
};

/** Only a service that is reached from outside has these fields. */
export const checkTraffic = (spec: JsonObject, old: JsonObject | undefined): Errors => {
  const policy = textAt(spec, 'externalTrafficPolicy');
  const why = 'may only be set for externally-accessible services';
  return [
    ...(policy !== '' && !isExternal(spec)
      ? [invalid('spec.externalTrafficPolicy', policy, why)]
      : []),
    ...checkHealthPort(spec, old),
  ];
};
