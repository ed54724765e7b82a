import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import { carriedPlacement } from '../data/carried-placement.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import { copiesAmong } from './copies-among.ts';
import type { DispatchObjects } from './dispatch-snapshot.ts';
import { feasible } from './feasible.ts';
import { roomWithout } from './room-without.ts';

/** The fields of a Namespace that queues read. */
interface KnownNamespace {
  readonly metadata: Pick<ObjectMeta, 'name' | 'labels' | 'annotations'>;
}

interface KnownPriorityClass {
  readonly metadata: Pick<ObjectMeta, 'name'>;
  readonly value: number;
  readonly globalDefault?: boolean | undefined;
}

/** Builds the dispatcher's lookups from objects that were listed. */
export const queueWorld = (
  clusters: readonly ClusterFacts[],
  namespaces: readonly KnownNamespace[],
  classes: readonly KnownPriorityClass[],
): Pick<DispatchObjects, 'labelsOfNamespace' | 'priorityOf' | 'copiesOf' | 'feasibility'> => {
  const feasibility: DispatchObjects['feasibility'] = (
    { metadata, spec, status = {} },
    promises,
    departures,
  ) => {
    const dataPlacement = carriedPlacement(metadata);
    const world = { clusters: roomWithout(clusters, departures), rules: standardRules };
    return feasible({ spec, status, ...present({ dataPlacement }) }, world, promises);
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
