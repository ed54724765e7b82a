import {
  isOnNodes,
  needsHealthPort,
  wantsNodePorts,
} from '@perigee/kubernetes/kinds/services/needs';
import { type FieldError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectsAt, withField } from '@perigee/schema/json-fields';
import { internalError } from '../status/server-refusals.ts';
import type { Supply } from './allocate-service.ts';
import { allocationsOf, portAllocation } from './allocations-of.ts';
import { freeNumber, isWithin, NODE_PORTS } from './number-range.ts';

type Refuse = (errors: readonly FieldError[]) => Error;

const nodePortOf = (port: JsonObject): number => numberAt(port, 'nodePort') ?? 0;

/** The ports that one service asks for or is given, each of them once. */
const createTaker = ({ isTaken, chance }: Supply, old: JsonObject) => {
  const own = new Set(allocationsOf({ spec: old }));
  const allocatedPorts = new Set<number>();
  return {
    /** Why it cannot have the port; undefined when it has it now. */
    take(port: number): string | undefined {
      if (own.has(portAllocation(port)) || allocatedPorts.has(port)) return undefined;
      if (!isWithin(NODE_PORTS, port)) {
        return `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`;
      }
      if (isTaken(portAllocation(port))) return 'provided port is already allocated';
      allocatedPorts.add(port);
      return undefined;
    },
    takeAny(what: string): number {
      const isUsed = (port: number): boolean =>
        allocatedPorts.has(port) || own.has(portAllocation(port)) || isTaken(portAllocation(port));
      const port = freeNumber(NODE_PORTS, isUsed, chance());
      if (port === undefined) throw internalError(`failed to allocate a ${what}: range is full`);
      allocatedPorts.add(port);
      return port;
    },
  };
};

type Taker = ReturnType<typeof createTaker>;

/** A port with two protocols gets one node port, unless two are requested. */
const withNodePorts = (spec: JsonObject, taker: Taker, refuse: Refuse): JsonObject => {
  const ports = objectsAt(spec, 'ports');
  const byNumber = new Map(
    ports.toReversed().map((port) => [port.port, nodePortOf(port)] as const),
  );
  for (const port of ports) {
    if (nodePortOf(port) !== 0) byNumber.set(port.port, nodePortOf(port));
  }
  ports.forEach((port, index) => {
    const requestedPort = nodePortOf(port);
    const problem = requestedPort === 0 ? undefined : taker.take(requestedPort);
    if (problem === undefined) return;
    throw refuse([invalid(`spec.ports[${index}].nodePort`, requestedPort, problem)]);
  });
  if (!wantsNodePorts(spec)) return spec;
  const complete = ports.map((port) => {
    if (nodePortOf(port) !== 0) return port;
    const nodePort = byNumber.get(port.port) || taker.takeAny('nodePort');
    byNumber.set(port.port, nodePort);
    return { ...port, nodePort };
  });
  return complete.every((port, index) => port === ports[index])
    ? spec
    : withField(spec, 'ports', complete);
};

const withHealthPort = (spec: JsonObject, taker: Taker): JsonObject => {
  const requestedPort = numberAt(spec, 'healthCheckNodePort') ?? 0;
  if (requestedPort === 0)
    return { ...spec, healthCheckNodePort: taker.takeAny('HealthCheck NodePort') };
  const problem = taker.take(requestedPort);
  if (problem === undefined) return spec;
  throw internalError(
    `failed to allocate requested HealthCheck NodePort ${requestedPort}: ${problem}`,
  );
};

/** Gives a service the ports of the nodes that it lacks. */
export const allocatePorts = (
  spec: JsonObject,
  old: JsonObject,
  supply: Supply,
  refuse: Refuse,
): JsonObject => {
  if (!isOnNodes(spec)) return spec;
  const taker = createTaker(supply, old);
  const onNodes = withNodePorts(spec, taker, refuse);
  return needsHealthPort(onNodes) ? withHealthPort(onNodes, taker) : onNodes;
};
