import { isNodeReady, type Node } from '@perigee/kubernetes/core/node';
import type { Taint } from '@perigee/kubernetes/core/taint';
import { type Amounts, parseAmounts } from './pod-demand.ts';

export const HOSTNAME = 'kubernetes.io/hostname';

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Features that nodes can share. */
export interface NodeFeatures {
  readonly allocatable: Amounts;
  /** Without the hostname label, which differs on every node. */
  readonly labels: { readonly [label: string]: string };
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
}

export const featuresOf = (node: Node): NodeFeatures => {
  const { [HOSTNAME]: _, ...labels } = node.metadata.labels ?? {};
  const taints = node.spec?.taints ?? [];
  return {
    allocatable: parseAmounts(node.status?.allocatable),
    labels,
    taints: isNodeReady(node) ? taints : [...taints, NOT_READY],
    isUnschedulable: node.spec?.unschedulable === true,
  };
};

/** Nodes with equal keys and equal free resources suit every pod equally. */
export const featureKey = ({ allocatable, labels, taints, isUnschedulable }: NodeFeatures) =>
  JSON.stringify([
    [...allocatable].toSorted(),
    Object.entries(labels).toSorted(),
    taints.map(({ key, value, effect }) => [key, value, effect]),
    isUnschedulable,
  ]);
