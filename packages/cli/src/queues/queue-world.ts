import { copiesAmong, feasibilityAmong } from '@perigee/controllers/queues/feasibility';
import type { Namespace } from '@perigee/kubernetes/core/namespace';
import type { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import type { DispatchObjects } from '@perigee/scheduling/queues/dispatch-snapshot';

/** What work in queues is judged by, from objects that were read. */
export const queueWorld = (
  facts: readonly ClusterFacts[],
  namespaces: readonly Namespace[],
  classes: readonly PriorityClass[],
): Pick<DispatchObjects, 'labelsOfNamespace' | 'priorityOf' | 'copiesOf' | 'feasibility'> => {
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const values = new Map(classes.map(({ metadata, value }) => [metadata.name, value]));
  return {
    labelsOfNamespace: (name) => labels.get(name) ?? {},
    priorityOf: (name) =>
      name === undefined
        ? classes.find(({ globalDefault }) => globalDefault)?.value
        : values.get(name),
    copiesOf: (binding) => copiesAmong(binding, facts),
    feasibility: (binding, inFlight) => feasibilityAmong(binding, facts, inFlight),
  };
};
