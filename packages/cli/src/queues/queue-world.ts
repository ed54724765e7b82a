import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { feasibilityAmong } from '@perigee/controllers/queues/feasibility';
import type { Namespace } from '@perigee/kubernetes/core/namespace';
import type { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import type { DispatchObjects } from '@perigee/scheduling/queues/dispatch-snapshot';
import { RoomInFlight } from '@perigee/scheduling/queues/room-in-flight';

/** What work in queues is judged by, from objects that were read. */
export const queueWorld = (
  clusters: readonly MemberCluster[],
  namespaces: readonly Namespace[],
  classes: readonly PriorityClass[],
): Pick<DispatchObjects, 'labelsOfNamespace' | 'priorityOf' | 'copiesOf' | 'feasibility'> => {
  const facts = clusters.map(clusterFacts);
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const values = new Map(classes.map(({ metadata, value }) => [metadata.name, value]));
  return {
    labelsOfNamespace: (name) => labels.get(name) ?? {},
    priorityOf: (name) =>
      name === undefined
        ? classes.find(({ globalDefault }) => globalDefault)?.value
        : values.get(name),
    copiesOf: (binding) => {
      const answer = feasibilityAmong(binding, facts, new RoomInFlight());
      return answer.kind === 'fits' ? Math.max(1, Object.keys(answer.clusters).length) : 1;
    },
    feasibility: (binding, inFlight) => feasibilityAmong(binding, facts, inFlight),
  };
};
