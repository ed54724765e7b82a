import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { assessTasks } from '@perigee/scheduling/placement/failover/assess-tasks';
import { sameJson } from '@perigee/schema/same-json';
import { reportEvicted } from './eviction-events.ts';
import { writeEviction } from './write-eviction.ts';

export interface GracefulEvictionOptions {
  /** Default grace period for the old copy. */
  readonly graceMs?: number;
}

const FIELD_MANAGER = 'perigee-graceful-eviction';
const TEN_MINUTES_MS = 600_000;

const isLeaving = ({ spec }: Binding): boolean => (spec.gracefulEvictionTasks ?? []).length > 0;

/** Ends evictions when the replacement is healthy, or their time is over. */
export const gracefulEvictionController = (
  kind: BindingKind,
  { graceMs = TEN_MINUTES_MS }: GracefulEvictionOptions = {},
): ControllerDefinition =>
  defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'graceful-eviction' : 'cluster-graceful-eviction',
    for: kind,
    when: (now) => now !== undefined && isLeaving(now),
    concurrency: 8,
    async reconcile(ref, context) {
      const { cache, clock, events } = context;
      const binding = cache(kind).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined)
        return undefined;
      if (!isLeaving(binding)) return undefined;
      const { metadata, spec, status = {} } = binding;
      const { clusters = [], gracefulEvictionTasks: tasks = [] } = spec;
      const { openTasks, endedClusters, nextMs } = assessTasks(
        {
          tasks,
          clusters,
          aggregatedStatus: status.aggregatedStatus,
          isScheduled: status.schedulerObservedGeneration === metadata.generation,
        },
        { nowMs: clock.now(), graceMs },
      );
      if (!sameJson(openTasks, tasks)) {
        const placed = { clusters, gracefulEvictionTasks: openTasks };
        await writeEviction(kind, binding, { fieldManager: FIELD_MANAGER, placed }, context);
        // A cluster that only lost some replicas keeps the work.
        const stays = new Set(clusters.map(({ name }) => name));
        for (const cluster of endedClusters)
          if (!stays.has(cluster)) reportEvicted(events, binding, cluster);
      }
      return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
    },
  });
