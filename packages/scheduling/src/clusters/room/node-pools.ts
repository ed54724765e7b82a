import type { Labels } from '@perigee/api/values/label-requirement';
import type { NodeFeatures, NodeTaint } from './node-claim.ts';

/** Nodes with equal features, ignoring the dropped labels. */
export interface NodePool<Node> {
  readonly features: NodeFeatures;
  readonly nodes: readonly Node[];
}

export interface NodePools<Node> {
  /** The largest first. */
  readonly pools: readonly NodePool<Node>[];
  /** The label keys that are dropped. `*`: all that no pool shows. */
  readonly untold: readonly string[];
}

export interface PoolLimits {
  readonly pools: number;
  /** The total length of the labels of all pools. */
  readonly labelBytes: number;
}

/** Drops at most this many labels one by one; beyond it, all are dropped. */
const MOST_UNTOLD = 40;

const taintsKey = (taints: readonly NodeTaint[]) =>
  taints.map(({ key, value = '', effect }) => [key, value, effect]);

const group = <Node extends { readonly features: NodeFeatures }>(
  nodes: readonly Node[],
  isReported: (label: string) => boolean,
): readonly NodePool<Node>[] => {
  const labelsOf = ({ labels }: NodeFeatures): Labels =>
    Object.fromEntries(
      Object.keys(labels)
        .filter(isReported)
        .sort()
        .map((key) => [key, labels[key] as string]),
    );
  const pools = new Map<string, { features: NodeFeatures; nodes: Node[] }>();
  // Nodes often share one features object.
  const poolsByFeatures = new Map<NodeFeatures, Node[]>();
  for (const node of nodes) {
    const { features } = node;
    let pool = poolsByFeatures.get(features);
    if (pool === undefined) {
      const labels = labelsOf(features);
      const { taints, isUnschedulable } = features;
      const key = JSON.stringify([labels, taintsKey(taints), isUnschedulable]);
      const samePool = pools.get(key) ?? { features: { ...features, labels }, nodes: [] };
      pools.set(key, samePool);
      pool = samePool.nodes;
      poolsByFeatures.set(features, pool);
    }
    pool.push(node);
  }
  return [...pools.values()].sort((a, b) => b.nodes.length - a.nodes.length);
};

interface LabelWeight {
  /** The number of distinct values among the pools; a missing label counts as one more. */
  readonly values: number;
  /** The total length. A label that all pools share is written once. */
  readonly bytes: number;
}

const weighLabels = (pools: readonly NodePool<unknown>[]): ReadonlyMap<string, LabelWeight> => {
  const uses = new Map<string, string[]>();
  for (const { features } of pools) {
    for (const [key, value] of Object.entries(features.labels)) {
      const values = uses.get(key) ?? [];
      uses.set(key, values);
      values.push(value);
    }
  }
  const weights = new Map<string, LabelWeight>();
  for (const [key, usage] of uses) {
    const values = new Set(usage).size + (usage.length < pools.length ? 1 : 0);
    const distinct = values === 1 ? usage.slice(0, 1) : usage;
    const bytes = distinct.reduce((sum, value) => sum + key.length + value.length + 6, 0);
    weights.set(key, { values, bytes });
  }
  return weights;
};

/** The label with the largest weight above `least`; ties go by name. */
const heaviest = (
  weights: ReadonlyMap<string, LabelWeight>,
  by: keyof LabelWeight,
  least: number,
): string | undefined => {
  let heaviestKey: string | undefined;
  let most = least;
  for (const key of [...weights.keys()].sort()) {
    const weight = weights.get(key)?.[by] ?? 0;
    if (weight > most) [heaviestKey, most] = [key, weight];
  }
  return heaviestKey;
};

/**
 * Groups nodes into few pools. If labels make too many, it drops those with the most values first,
 * such as host names, then the longest.
 */
export const poolNodes = <Node extends { readonly features: NodeFeatures }>(
  nodes: readonly Node[],
  limits: PoolLimits,
): NodePools<Node> => {
  const untold = new Set<string>();
  let pools = group(nodes, () => true);
  for (;;) {
    const weights = weighLabels(pools);
    const bytes = [...weights.values()].reduce((sum, weight) => sum + weight.bytes, 0);
    const divides = pools.length > limits.pools ? heaviest(weights, 'values', 1) : undefined;
    const next = divides ?? (bytes > limits.labelBytes ? heaviest(weights, 'bytes', 0) : undefined);
    if (next === undefined) break;
    if (untold.size >= MOST_UNTOLD) {
      return { pools: group(nodes, () => false).slice(0, limits.pools), untold: ['*'] };
    }
    untold.add(next);
    pools = group(nodes, (label) => !untold.has(label));
  }
  return { pools: pools.slice(0, limits.pools), untold: [...untold].sort() };
};
