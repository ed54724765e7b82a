import type { PropagationSpec } from '@perigee/api/kinds/placement/propagation-spec';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';

/** The scheduling priority of a policy; undefined when it sets none. */
export const priorityOf = (
  cache: Caches,
  { schedulePriority }: PropagationSpec,
): number | undefined => {
  if (schedulePriority === undefined) return undefined;
  const { priorityClassName: name } = schedulePriority;
  const priorityClass = cache(PriorityClass).get({ name });
  if (priorityClass === undefined) {
    throw new Error(`there is no PriorityClass ${name}, which the policy's schedulePriority names`);
  }
  return priorityClass.value;
};
