import type { PropagationSpec } from '@perigee/api/kinds/placement/propagation-spec';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Caches } from '@perigee/kube/controller/cached-objects';

interface PriorityClass extends KubeObject {
  readonly value: number;
}

export const PRIORITY_CLASS: ResourceKind<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
};

/** How urgent the work of a policy is; nothing when it does not say. */
export const priorityOf = (
  cache: Caches,
  { schedulePriority }: PropagationSpec,
): number | undefined => {
  if (schedulePriority === undefined) return undefined;
  const { priorityClassName: name } = schedulePriority;
  const found = cache(PRIORITY_CLASS).get({ name });
  if (found === undefined) {
    throw new Error(`there is no PriorityClass ${name}, which the policy's schedulePriority names`);
  }
  return found.value;
};
