import type { Caches } from '@perigee/kube/controller/cached-objects';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import type { WorkWorld } from '@perigee/scheduling/queues/work-facts';
import { queueFamily } from './dispatch-indexes.ts';

/** The inputs of queue decisions, from the caches. */
export const dispatchWorld = (cache: Caches, copiesOf: WorkWorld['copiesOf']): WorkWorld => ({
  queues: queueFamily(cache),
  labelsOfNamespace: (name) => cache(Namespace).get({ name })?.metadata.labels ?? {},
  priorityOf: (name) =>
    name === undefined
      ? cache(PriorityClass)
          .list()
          .find(({ globalDefault }) => globalDefault)?.value
      : cache(PriorityClass).get({ name })?.value,
  copiesOf,
});
