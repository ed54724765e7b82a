import type { PodSpec } from '@perigee/kubernetes/core/pod';
import type { NodeFeatures } from './node-features.ts';
import type { NodeSlot } from './node-slot.ts';
import type { NodeTable } from './node-table.ts';
import { distinguishesNodes, matchesNode, namedNodes, preferenceFor } from './node-terms.ts';
import type { PodDemand } from './pod-demand.ts';
import { countUntolerated, untolerated } from './tolerates.ts';

export type Verdict =
  | { readonly kind: 'found'; readonly node: string }
  | { readonly kind: 'nowhere'; readonly message: string };

interface Candidate {
  readonly slot: NodeSlot;
  readonly fullness: number;
  readonly preference: number;
  readonly unwelcome: number;
}

const UNSCHEDULABLE = 'node(s) were unschedulable';
const TAINTED = 'node(s) had untolerated taint(s)';
const MISMATCHED = "node(s) didn't match Pod's node affinity/selector";

const UNSCHEDULABLE_TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The reason why nodes with these features refuse the pod even when empty. */
const refusal = (
  spec: PodSpec,
  features: NodeFeatures,
  labels: NodeFeatures['labels'],
  name: string,
): string | undefined => {
  const { tolerations = [] } = spec;
  const refuses = (taints: readonly { key: string; effect: string }[]) =>
    untolerated(taints, tolerations, ['NoSchedule', 'NoExecute']) !== undefined;
  if (features.isUnschedulable && refuses([UNSCHEDULABLE_TAINT])) return UNSCHEDULABLE;
  // A cordoned node has this taint, too; the other reason is clearer.
  const taints = features.taints.filter(({ key }) => key !== UNSCHEDULABLE_TAINT.key);
  if (refuses(taints)) return TAINTED;
  return matchesNode(spec, labels, name) ? undefined : MISMATCHED;
};

const candidateOf = (spec: PodSpec, demand: PodDemand, slot: NodeSlot): Candidate => ({
  slot,
  fullness: slot.fullness(demand.extended, demand),
  preference: preferenceFor(spec, slot.labels, slot.name),
  unwelcome: countUntolerated(slot.features.taints, spec.tolerations ?? [], 'PreferNoSchedule'),
});

/** The weights of kube-scheduler: taints thrice, affinity twice, free resources once. */
const best = (candidates: readonly Candidate[]): NodeSlot | undefined => {
  const mostPreferred = Math.max(1, ...candidates.map(({ preference }) => preference));
  const mostUnwelcome = Math.max(1, ...candidates.map(({ unwelcome }) => unwelcome));
  const scoreOf = ({ fullness, preference, unwelcome }: Candidate): number =>
    1 - fullness + (2 * preference) / mostPreferred + 3 * (1 - unwelcome / mostUnwelcome);
  let winner: { readonly slot: NodeSlot; readonly score: number } | undefined;
  for (const candidate of candidates) {
    const { slot } = candidate;
    const score = scoreOf(candidate);
    const wins =
      winner === undefined ||
      score > winner.score ||
      (score === winner.score && slot.name < winner.slot.name);
    if (wins) winner = { slot, score };
  }
  return winner?.slot;
};

class Reasons {
  readonly #counts = new Map<string, number>();

  add(reason: string, nodes = 1): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + nodes);
  }

  message(nodes: number): string {
    const reasonCounts = [...this.#counts]
      .map(([reason, count]) => `${count} ${reason}`)
      .toSorted();
    const detail = reasonCounts.length === 0 ? '' : ` ${reasonCounts.join(', ')}.`;
    return `0/${nodes} nodes are available:${detail}`;
  }
}

const amongGroups = (
  table: NodeTable,
  spec: PodSpec,
  demand: PodDemand,
  reasons: Reasons,
  examine: () => void,
): readonly Candidate[] => {
  const candidates: Candidate[] = [];
  for (const group of table.groups()) {
    const groupRefusal = refusal(spec, group.features, group.features.labels, '');
    if (groupRefusal !== undefined) {
      reasons.add(groupRefusal, group.slots.size);
      continue;
    }
    const slot = group.emptiest(demand, examine);
    if (slot !== undefined) candidates.push(candidateOf(spec, demand, slot));
    else {
      for (const full of group.slots) for (const why of full.shortages(demand)) reasons.add(why);
    }
  }
  return candidates;
};

const slotsFor = function* (table: NodeTable, spec: PodSpec): Iterable<NodeSlot> {
  const nodeNames = namedNodes(spec);
  if (nodeNames === undefined) for (const group of table.groups()) yield* group.slots;
  for (const name of new Set(nodeNames)) {
    const slot = table.slot(name);
    if (slot !== undefined) yield slot;
  }
};

/** For pods that distinguish nodes: checks every possible node. */
const amongNodes = (
  table: NodeTable,
  spec: PodSpec,
  demand: PodDemand,
  reasons: Reasons,
  examine: () => void,
): readonly Candidate[] => {
  const candidates: Candidate[] = [];
  let examinedNodes = 0;
  for (const slot of slotsFor(table, spec)) {
    examine();
    examinedNodes += 1;
    const slotRefusal = refusal(spec, slot.features, slot.labels, slot.name);
    if (slotRefusal !== undefined) reasons.add(slotRefusal);
    else if (slot.fits(demand)) candidates.push(candidateOf(spec, demand, slot));
    else for (const why of slot.shortages(demand)) reasons.add(why);
  }
  if (examinedNodes < table.size) reasons.add(MISMATCHED, table.size - examinedNodes);
  return candidates;
};

/** The best node for a pod, or the reason why there is none. `examine` is called for every node that is checked. */
export const findNode = (
  table: NodeTable,
  spec: PodSpec,
  demand: PodDemand,
  examine: () => void = () => {},
): Verdict => {
  const reasons = new Reasons();
  const search = distinguishesNodes(spec) ? amongNodes : amongGroups;
  const slot = best(search(table, spec, demand, reasons, examine));
  if (slot !== undefined) return { kind: 'found', node: slot.name };
  if (table.size === 0) return { kind: 'nowhere', message: 'no nodes available to schedule pods' };
  return { kind: 'nowhere', message: reasons.message(table.size) };
};
