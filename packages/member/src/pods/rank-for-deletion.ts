import type { Pod } from '@perigee/kubernetes/core/pod';
import { parseTime } from '@perigee/schema/values/time';
import { isPodReady, readySince, restartsOf } from './pod-state.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES = ['Pending', 'Unknown', 'Running'];

const phaseRank = ({ status }: Pod): number => PHASES.indexOf(status?.phase ?? 'Pending');

const costOf = ({ metadata }: Pod): number => {
  const costText = metadata.annotations?.[DELETION_COST] ?? '0';
  return /^(0|-?[1-9]\d*)$/.test(costText) ? Number(costText) : 0;
};

/** Ages are compared by their power of two, so that similar ages tie and the uid decides. */
const ageRank = (since: number, now: number): number => {
  const age = now - since;
  return age > 0 ? Math.trunc(Math.log2(age * 1e6)) : -1;
};

const compareAges = (a: number, b: number, now: number): number =>
  a === b ? 0 : ageRank(a, now) - ageRank(b, now);

const compareUids = (a: Pod, b: Pod): number => (a.metadata.uid < b.metadata.uid ? -1 : 1);

/** Number of ready pods of the owner on the same node. */
const neighbours = (pods: readonly Pod[]): ((pod: Pod) => number) => {
  const ready = new Map<string, number>();
  for (const pod of pods) {
    const { nodeName } = pod.spec;
    if (nodeName !== undefined && isPodReady(pod)) {
      ready.set(nodeName, (ready.get(nodeName) ?? 0) + 1);
    }
  }
  return ({ spec }) => ready.get(spec.nodeName ?? '') ?? 0;
};

/** Sorts pods by the cost of deleting them, cheapest first. `related` are the pods that should be spread. */
export const rankForDeletion = (
  pods: readonly Pod[],
  relatives: readonly Pod[],
  now: number,
): readonly Pod[] => {
  const doubled = neighbours(relatives);
  return pods.toSorted((a, b) => {
    const [aNode, bNode] = [a.spec.nodeName ? 1 : 0, b.spec.nodeName ? 1 : 0];
    if (aNode !== bNode) return aNode - bNode;
    if (phaseRank(a) !== phaseRank(b)) return phaseRank(a) - phaseRank(b);
    const [aReady, bReady] = [readySince(a), readySince(b)];
    if ((aReady === undefined) !== (bReady === undefined)) return aReady === undefined ? -1 : 1;
    if (costOf(a) !== costOf(b)) return costOf(a) - costOf(b);
    if (doubled(a) !== doubled(b)) return doubled(b) - doubled(a);
    if (aReady !== undefined && bReady !== undefined && aReady !== bReady) {
      return compareAges(aReady, bReady, now) || compareUids(a, b);
    }
    if (restartsOf(a) !== restartsOf(b)) return restartsOf(b) - restartsOf(a);
    const creationTimes = [a, b].map(({ metadata }) => parseTime(metadata.creationTimestamp));
    return compareAges(creationTimes[0] ?? 0, creationTimes[1] ?? 0, now) || compareUids(a, b);
  });
};
