import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectsAt, textAt } from '@perigee/schema/json-fields';

type Texts = readonly string[];

interface Port {
  readonly at: string;
  readonly name: string;
  readonly key: string;
  readonly hostIp: string;
  readonly hostPort: number;
}

const clash = (port: Port, other: Port): string | undefined => {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  const isOneOpen = (port.hostIp === '') !== (other.hostIp === '');
  return port.hostPort === other.hostPort && isOneOpen ? 'dangerously ambiguous' : undefined;
};

const clashes = (ports: readonly Port[]): Texts => {
  const byKey = new Map<string, Port[]>();
  return ports.flatMap((port) => {
    const others = byKey.get(port.key) ?? [];
    const warnings = others.flatMap((other) => {
      const how = clash(port, other);
      return how === undefined ? [] : [`${port.at}: ${how} port definition with ${other.at}`];
    });
    byKey.set(port.key, [...others, port]);
    return warnings;
  });
};

const sharedNames = (ports: readonly Port[]): Texts => {
  const byName = new Map<string, string>();
  return ports.flatMap(({ at, name }) => {
    const first = byName.get(name);
    if (name === '') return [];
    if (first === undefined) {
      byName.set(name, at);
      return [];
    }
    return [
      `${at}: duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`,
    ];
  });
};

/** Ports of the containers of one pod that get into each other's way. */
export const portWarnings = (
  containers: readonly (readonly [container: JsonObject, path: string])[],
): Texts => {
  const ports = containers.flatMap(([container, path]) =>
    objectsAt(container, 'ports').map(
      (port, index): Port => ({
        at: `${path}.ports[${index}]`,
        name: textAt(port, 'name'),
        key: `${numberAt(port, 'containerPort') ?? 0}/${textAt(port, 'protocol')}`,
        hostIp: textAt(port, 'hostIP'),
        hostPort: numberAt(port, 'hostPort') ?? 0,
      }),
    ),
  );
  return [...clashes(ports), ...sharedNames(ports)];
};
