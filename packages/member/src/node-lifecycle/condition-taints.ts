import type { Node } from '@perigee/kubernetes/core/node';
import type { Taint } from '@perigee/kubernetes/core/taint';

const PREFIX = 'node.kubernetes.io/';

/** The NoSchedule taint for each type and status of a condition. */
const BY_CONDITION: { readonly [condition: string]: string } = {
  'Ready=False': 'not-ready',
  'Ready=Unknown': 'unreachable',
  'MemoryPressure=True': 'memory-pressure',
  'DiskPressure=True': 'disk-pressure',
  'PIDPressure=True': 'pid-pressure',
  'NetworkUnavailable=True': 'network-unavailable',
};

/** Taints with effect NoExecute, too. */
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

/** The desired taints of a node, including those of others; undefined when nothing changes. */
export const conditionTaints = (node: Node): readonly Taint[] | undefined => {
  const present = node.spec?.taints ?? [];
  const desiredTaints = wantedTaints(node);
  const keptTaints = present.filter(
    (taint) => !OWN.has(taint.key) || desiredTaints.some((other) => isSame(taint, other)),
  );
  const missingTaints = desiredTaints.filter(
    (taint) => !present.some((other) => isSame(taint, other)),
  );
  return keptTaints.length === present.length && missingTaints.length === 0
    ? undefined
    : [...keptTaints, ...missingTaints];
};
