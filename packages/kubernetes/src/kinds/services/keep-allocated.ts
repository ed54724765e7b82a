import type { JsonObject, JsonValue } from '@perigee/schema/json';
import {
  changedItems,
  filled,
  numberAt,
  objectsAt,
  textAt,
  textsAt,
  withField,
} from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { withAddressList } from './address-list.ts';
import { isExternal, isOnNodes, needsAddress, needsHealthPort, wantsNodePorts } from './needs.ts';

type SpecChange = (spec: JsonObject, old: JsonObject) => JsonObject;

/** Takes fields away that its user left as they were. */
const without = (spec: JsonObject, old: JsonObject, ...names: readonly string[]): JsonObject =>
  names.reduce(
    (rest, name) =>
      sameJson(rest[name], old[name] as JsonValue | undefined)
        ? withField(rest, name, undefined)
        : rest,
    spec,
  );

/** A client that writes `clusterIP`, and leaves `clusterIPs` as it was, means both. */
const withListOfOld = (spec: JsonObject, old: JsonObject): JsonObject => {
  const address = textAt(spec, 'clusterIP');
  const [list, oldList] = [textsAt(spec, 'clusterIPs'), textsAt(old, 'clusterIPs')];
  if (address === textAt(old, 'clusterIP')) {
    return list.length === 0 ? withField(spec, 'clusterIPs', old.clusterIPs) : spec;
  }
  if (!sameJson(list, oldList)) return spec;
  return withField(spec, 'clusterIPs', address === '' ? undefined : [address]);
};

const keepAddresses: SpecChange = (spec, old) => {
  if (!needsAddress(spec) || !needsAddress(old)) return withListOfOld(spec, old);
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = old;
  const filledSpec = filled(spec, { clusterIP, clusterIPs, ipFamilyPolicy });
  const isMoved = filledSpec.clusterIP !== clusterIP && sameJson(filledSpec.clusterIPs, clusterIPs);
  if (isMoved) return withField(filledSpec, 'clusterIPs', [textAt(filledSpec, 'clusterIP')]);
  return filled(filledSpec, { ipFamilies });
};

const nodePortsOf = (spec: JsonObject): ReadonlySet<number> =>
  new Set(objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0));

/** A port keeps that of the nodes which it had under its name, unless another port asks for that. */
const keepNodePorts: SpecChange = (spec, old) => {
  if (!wantsNodePorts(spec) || !wantsNodePorts(old)) return spec;
  const requestedPorts = nodePortsOf(spec);
  const before = new Map(objectsAt(old, 'ports').map((port) => [textAt(port, 'name'), port]));
  return changedItems(spec, 'ports', (port) => {
    const nodePort = numberAt(before.get(textAt(port, 'name')) ?? {}, 'nodePort');
    const isFree = nodePort !== undefined && !requestedPorts.has(nodePort);
    return isFree && !numberAt(port, 'nodePort') ? { ...port, nodePort } : port;
  });
};

const keepHealthPort: SpecChange = (spec, old) =>
  needsHealthPort(spec) && needsHealthPort(old) && !numberAt(spec, 'healthCheckNodePort')
    ? withField(spec, 'healthCheckNodePort', old.healthCheckNodePort)
    : spec;

const dropAddresses: SpecChange = (spec, old) => {
  if (needsAddress(spec)) return spec;
  const nameSpec = withField(spec, 'internalTrafficPolicy', undefined);
  if (!needsAddress(old)) return nameSpec;
  const isSame =
    sameJson(spec.clusterIP, old.clusterIP) && sameJson(spec.clusterIPs, old.clusterIPs);
  const specWithoutIP = isSame ? without(nameSpec, old, 'clusterIP', 'clusterIPs') : nameSpec;
  return without(specWithoutIP, old, 'ipFamilies', 'ipFamilyPolicy');
};

const dropNodePorts: SpecChange = (spec, old) => {
  if (!isOnNodes(old) || isOnNodes(spec)) return spec;
  const before = nodePortsOf(old);
  const isNew = [...nodePortsOf(spec)].some((port) => port !== 0 && !before.has(port));
  if (isNew) return spec;
  return changedItems(spec, 'ports', (port) => withField(port, 'nodePort', undefined));
};

const dropBalancing: SpecChange = (spec, old) => {
  const typeSpec =
    old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer'
      ? without(spec, old, 'allocateLoadBalancerNodePorts', 'loadBalancerClass')
      : spec;
  const inside =
    isExternal(old) && !isExternal(typeSpec)
      ? without(typeSpec, old, 'externalTrafficPolicy')
      : typeSpec;
  return needsHealthPort(old) && !needsHealthPort(inside)
    ? without(inside, old, 'healthCheckNodePort')
    : inside;
};

const CHANGES: readonly SpecChange[] = [
  keepAddresses,
  keepNodePorts,
  keepHealthPort,
  dropAddresses,
  dropNodePorts,
  dropBalancing,
];

/**
 * The spec of a service with what its user leaves to the server: what it was given before it keeps, and
 * what its type has no use for it loses, unless the user asks for something else.
 */
export const keepAllocated = (spec: JsonObject, old: JsonObject | undefined): JsonObject =>
  old === undefined
    ? withAddressList(spec)
    : CHANGES.reduce<JsonObject>((changed, change) => change(changed, old), spec);
