import type { Node } from '@perigee/kubernetes/core/node';
import type { Taint } from '@perigee/kubernetes/core/taint';

const PREFIX = 'node.kubernetes.io/';

/** By type and status of a condition: what keeps pods away from such a node. */
const BY_CONDITION: { readonly [condition: string]: string } = {
  'Ready=False': 'not-ready',
  'Ready=Unknown': 'unreachable',
  'MemoryPressure=True': 'memory-pressure',
  'DiskPressure=True': 'disk-pressure',
  'PIDPressure=True': 'pid-pressure',
  'NetworkUnavailable=True': 'network-unavailable',
};

/** Those that also end the pods that are there, unless these tolerate it. */
const EVICTING: ReadonlySet<string> = new Set(['not-ready', 'unreachable']);

const OWN: ReadonlySet<string> = new Set(
  [...Object.values(BY_CONDITION), 'unschedulable'].map((name) => PREFIX + name),
);

const wantedTaints = ({ spec, status }: Node): readonly Taint[] => {
  const names = (status?.conditions ?? []).flatMap(({ type, status: is }) => {
    const name = BY_CONDITION[`${type}=${is}`];
    return name === undefined ? [] : [name];
  });
  return [
    ...names.map((name) => ({ key: PREFIX + name, effect: 'NoSchedule' })),
    ...(spec?.unschedulable ? [{ key: `${PREFIX}unschedulable`, effect: 'NoSchedule' }] : []),
    ...names
      .filter((name) => EVICTING.has(name))
      .map((name) => ({ key: PREFIX + name, effect: 'NoExecute' })),
  ];
};

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** The taints that a node should have, those of others among them; nothing when it has them. */
export const conditionTaints = (node: Node): readonly Taint[] | undefined => {
  const present = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const kept = present.filter(
    (taint) => !OWN.has(taint.key) || wanted.some((other) => isSame(taint, other)),
  );
  const missing = wanted.filter((taint) => !present.some((other) => isSame(taint, other)));
  return kept.length === present.length && missing.length === 0 ? undefined : [...kept, ...missing];
};
