import type { CachedObjects } from '@perigee/kube/controller/cached-objects';
import type { Pod } from '@perigee/kubernetes/core/pod';
import type { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { parseTime } from '@perigee/schema/values/time';

/** Built-in priority classes. */
const SYSTEM: { readonly [name: string]: number } = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** The priority of a pod, also where admission did not write it into the pod. */
export const priorityOf = ({ spec }: Pod, classes: CachedObjects<PriorityClass>): number => {
  const { priority, priorityClassName: name } = spec;
  if (priority !== undefined) return priority;
  if (name) return classes.get({ name })?.value ?? SYSTEM[name] ?? 0;
  return classes.list().find(({ globalDefault }) => globalDefault)?.value ?? 0;
};

/** Higher priority first, then the longest wait, then the name. */
export const schedulingOrder =
  (classes: CachedObjects<PriorityClass>) =>
  (a: Pod, b: Pod): number =>
    priorityOf(b, classes) - priorityOf(a, classes) ||
    parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp) ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
