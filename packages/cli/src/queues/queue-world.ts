import type { Namespace } from '@perigee/kubernetes/core/namespace';
import type { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { copiesAmong } from '@perigee/scheduling/queues/copies-among';
import type { DispatchObjects } from '@perigee/scheduling/queues/dispatch-snapshot';
import { feasible } from '@perigee/scheduling/queues/feasible';
import { roomWithout } from '@perigee/scheduling/queues/room-without';

/** What work in queues is judged by, from objects that were read. */
export const queueWorld = (
  clusters: readonly ClusterFacts[],
  namespaces: readonly Namespace[],
  classes: readonly PriorityClass[],
): Pick<DispatchObjects, 'labelsOfNamespace' | 'priorityOf' | 'copiesOf' | 'feasibility'> => {
  const feasibility: DispatchObjects['feasibility'] = (
    { metadata, spec, status = {} },
    promised,
    gone,
  ) => {
    const carried = carriedPlacement(metadata);
    const world = { clusters: roomWithout(clusters, gone), rules: standardRules };
    return feasible({ spec, status, ...(carried && { carried }) }, world, promised);
  };
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const values = new Map(classes.map(({ metadata, value }) => [metadata.name, value]));
  return {
    labelsOfNamespace: (name) => labels.get(name) ?? {},
    priorityOf: (name) =>
      name === undefined
        ? classes.find(({ globalDefault }) => globalDefault)?.value
        : values.get(name),
    copiesOf: (binding) => copiesAmong(binding, clusters),
    feasibility,
  };
};
