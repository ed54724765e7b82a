import type { Labels } from '@perigee/api/values/label-requirement';
import {
  parseResourceList,
  type ResourceList,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import type { JsonObject } from '@perigee/schema/json';
import { objectIn, objectsIn, textIn } from '../../interpreter/fields.ts';
import type { NodeFeatures, NodeTaint } from '../room/node-claim.ts';

/** The node fields that the cluster status counts. */
export interface NodeFacts {
  readonly isReady: boolean;
  readonly allocatable: ResourceList;
  readonly features: NodeFeatures;
}

/** Kubernetes adds this taint to such nodes itself, a moment later. */
const NOT_READY: NodeTaint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

const taintsOf = (node: JsonObject, isReady: boolean): readonly NodeTaint[] => {
  const taints = objectsIn(node, 'spec', 'taints').flatMap((taint): readonly NodeTaint[] => {
    const [key, value, effect] = ['key', 'value', 'effect'].map((field) => textIn(taint, field));
    if (key === undefined || (effect !== 'NoSchedule' && effect !== 'NoExecute')) return [];
    return [{ key, ...(value ? { value } : {}), effect }];
  });
  return isReady ? taints : [...taints, NOT_READY];
};

export const nodeFacts = (node: JsonObject): NodeFacts => {
  const ready = objectsIn(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  const isReady = textIn(ready ?? {}, 'status') === 'True';
  return {
    isReady,
    allocatable: parseResourceList(objectIn(node, 'status', 'allocatable') as WrittenResourceList),
    features: {
      labels: objectIn(node, 'metadata', 'labels') as Labels,
      taints: taintsOf(node, isReady),
      isUnschedulable: objectIn(node, 'spec').unschedulable === true,
    },
  };
};
