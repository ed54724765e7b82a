import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { findNode, type Verdict } from './find-node.ts';
import { type GangShortage, gangShortage } from './gang-shortage.ts';
import type { NodeTable } from './node-table.ts';
import { demandOf } from './pod-demand.ts';
import { groupNeed } from './pod-groups.ts';

export interface Assignment {
  readonly pod: Pod;
  readonly node: string;
}

export interface Refusal {
  readonly pod: Pod;
  readonly message: string;
}

export interface GroupOutcome {
  readonly assignments: readonly Assignment[];
  readonly refusals: readonly Refusal[];
  /** The shortage of the whole group; absent when it starts, or has too few pods. */
  readonly shortage?: GangShortage;
}

/** Pods of one class are schedulable together or not at all, regardless of their names. */
export const podClass = ({ spec }: Pod): string =>
  JSON.stringify([
    [...demandOf({ spec } as Pod).amounts].toSorted(),
    spec.nodeSelector,
    spec.affinity?.nodeAffinity,
    spec.tolerations,
  ]);

/** Assigns pods to nodes in the table; the caller binds them. Counts the checked nodes. */
export class Placement {
  readonly table: NodeTable;
  readonly #refusals = new Map<string, { readonly version: number; readonly message: string }>();
  #examined = 0;

  constructor(table: NodeTable) {
    this.table = table;
  }

  /** Number of nodes checked so far. */
  get examined(): number {
    return this.#examined;
  }

  /** Assigns a pod to a node, if one fits. */
  place(pod: Pod, ofClass = podClass(pod)): Verdict {
    const earlierRefusal = this.#refusals.get(ofClass);
    if (earlierRefusal?.version === this.table.version)
      return { kind: 'nowhere', message: earlierRefusal.message };
    const demand = demandOf(pod);
    const verdict = findNode(this.table, pod.spec, demand, () => {
      this.#examined += 1;
    });
    if (verdict.kind === 'found') this.table.place(pod.metadata.uid, verdict.node, demand);
    else this.#remember(ofClass, verdict.message);
    return verdict;
  }

  /** Assigns as many members of a group as fit, or none when these would be too few. */
  placeGroup(
    group: PodGroup,
    members: readonly Pod[],
    inOrder: (a: Pod, b: Pod) => number,
  ): GroupOutcome {
    const hasNode = (pod: Pod) =>
      Boolean(pod.spec.nodeName) || this.table.isPlaced(pod.metadata.uid);
    const { pendingPods, settledCount, isEnough } = groupNeed(group, members, hasNode);
    const minimum = group.spec.minMember ?? 0;
    const notReady = `pod group is not ready, ${pendingPods.length} Pending, ${settledCount} Running, ${minimum} minAvailable`;
    if (!isEnough(pendingPods)) {
      return { assignments: [], refusals: pendingPods.map((pod) => ({ pod, message: notReady })) };
    }
    const assignments: Assignment[] = [];
    const refusals: Refusal[] = [];
    for (const pod of pendingPods.toSorted(inOrder)) {
      const verdict = this.place(pod);
      if (verdict.kind === 'found') assignments.push({ pod, node: verdict.node });
      else refusals.push({ pod, message: verdict.message });
    }
    const placedPods = assignments.map(({ pod }) => pod);
    if (isEnough(placedPods)) return { assignments, refusals };
    const lacking = Math.max(1, minimum - settledCount - placedPods.length);
    const shortage = gangShortage(
      this.table,
      refusals.slice(0, lacking).map(({ pod }) => pod),
      refusals[0]?.message ?? '',
    );
    for (const { pod } of assignments) this.table.undo(pod.metadata.uid);
    // Refusals were due to members that have given their place back.
    this.#refusals.clear();
    const message = `${notReady}: ${shortage.message}`;
    return { assignments: [], refusals: pendingPods.map((pod) => ({ pod, message })), shortage };
  }

  #remember(ofClass: string, message: string): void {
    const { version } = this.table;
    for (const [other, refusal] of this.#refusals) {
      if (refusal.version !== version) this.#refusals.delete(other);
    }
    this.#refusals.set(ofClass, { version, message });
  }
}
