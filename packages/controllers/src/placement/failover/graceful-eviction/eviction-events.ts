import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';

type Events = ReconcileContext['events'];

/** Writes the Events about evicted work, on its binding and its template. */
export const reportEvicted = (events: Events, binding: Binding, cluster: string): void => {
  for (const subject of [binding, binding.spec.resource]) {
    events.normal(
      subject,
      'EvictWorkloadFromClusterSucceed',
      `Evict from cluster ${cluster} succeed.`,
    );
  }
};

/** Writes the Events about work that cannot be evicted. */
export const reportNotEvicted = (events: Events, binding: Binding, error: unknown): void => {
  const why = error instanceof Error ? error.message : String(error);
  for (const subject of [binding, binding.spec.resource]) {
    events.warning(subject, 'EvictWorkloadFromClusterFailed', `Evict failed: ${why}`);
  }
};
