import type { DaemonSet, DaemonSetStatus } from '@perigee/kubernetes/apps/daemon-set';
import type { Node } from '@perigee/kubernetes/core/node';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { countOf } from '../deployment/rolling-bounds.ts';
import { availableAt, isFinished, isPodReady, isTerminating } from '../pods/pod-state.ts';
import { REVISION_LABEL } from '../revisions/ensure-revision.ts';
import { fitsNode, nodeOf } from './daemon-pod.ts';

export interface DaemonDecision {
  /** Nodes without a daemon. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  readonly status: DaemonSetStatus;
}

const isAvailable = ({ spec }: DaemonSet, pod: Pod, now: number): boolean => {
  const moment = availableAt(pod, spec.minReadySeconds ?? 0);
  return moment !== undefined && moment <= now && !isTerminating(pod);
};

const hasHash = ({ metadata }: Pod, hash: string): boolean =>
  metadata.labels?.[REVISION_LABEL] === hash;

/** Outdated pods to delete now: unavailable ones, and others up to maxUnavailable. */
const outdated = (
  set: DaemonSet,
  daemons: ReadonlyMap<string, Pod>,
  daemonCount: number,
  hash: string,
  now: number,
): readonly Pod[] => {
  if (set.spec.updateStrategy?.type === 'OnDelete') return [];
  const { maxUnavailable = 1 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const most = Math.max(1, countOf(maxUnavailable, daemonCount, Math.ceil));
  const all = [...daemons.values()];
  const old = all.filter((pod) => !hasHash(pod, hash) && !isTerminating(pod));
  const useless = old.filter((pod) => !isAvailable(set, pod, now));
  const unavailableCount = daemonCount - all.filter((pod) => isAvailable(set, pod, now)).length;
  const room = Math.max(0, most - unavailableCount);
  return [...useless, ...old.filter((pod) => isAvailable(set, pod, now)).slice(0, room)];
};

/** Keeps one daemon on each eligible node: the oldest of several. */
export const decideDaemonSet = (
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  hash: string,
  now: number,
): DaemonDecision => {
  const daemons = new Map<string, Pod>();
  const remove: Pod[] = [];
  const oldestFirst = pods.toSorted((a, b) =>
    `${a.metadata.creationTimestamp}${a.metadata.name}` <
    `${b.metadata.creationTimestamp}${b.metadata.name}`
      ? -1
      : 1,
  );
  for (const pod of oldestFirst) {
    if (isFinished(pod) && !isTerminating(pod)) remove.push(pod);
    else if (!daemons.has(nodeOf(pod))) daemons.set(nodeOf(pod), pod);
    else if (!isTerminating(pod)) remove.push(pod);
  }
  const create: string[] = [];
  const eligiblePods: Pod[] = [];
  let desired = 0;
  let misscheduled = 0;
  for (const node of nodes) {
    const { name } = node.metadata;
    const daemon = daemons.get(name);
    const { shouldRun, mayStay } = fitsNode(set, node);
    if (shouldRun) desired += 1;
    else if (daemon !== undefined) misscheduled += 1;
    if (daemon === undefined) {
      if (shouldRun) create.push(name);
    } else if (!mayStay && !isTerminating(daemon)) remove.push(daemon);
    else if (shouldRun) eligiblePods.push(daemon);
  }
  const byNode = new Map(eligiblePods.map((pod) => [nodeOf(pod), pod]));
  const available = eligiblePods.filter((pod) => isAvailable(set, pod, now)).length;
  return {
    create,
    remove: [...remove, ...outdated(set, byNode, desired, hash, now)],
    status: {
      observedGeneration: set.metadata.generation ?? 0,
      currentNumberScheduled: eligiblePods.length,
      desiredNumberScheduled: desired,
      numberMisscheduled: misscheduled,
      numberReady: eligiblePods.filter(isPodReady).length,
      updatedNumberScheduled: eligiblePods.filter((pod) => hasHash(pod, hash)).length,
      numberAvailable: available,
      numberUnavailable: desired - available,
    },
  };
};
