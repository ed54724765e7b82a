import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';

type Events = ReconcileContext['events'];

/** Tells of work that has left a cluster, at its binding and at its template. */
export const tellEvicted = (events: Events, binding: Binding, cluster: string): void => {
  for (const subject of [binding, binding.spec.resource]) {
    events.normal(
      subject,
      'EvictWorkloadFromClusterSucceed',
      `Evict from cluster ${cluster} succeed.`,
    );
  }
};

/** Tells of work that ought to leave a cluster and cannot. */
export const tellNotEvicted = (events: Events, binding: Binding, error: unknown): void => {
  const why = error instanceof Error ? error.message : String(error);
  for (const subject of [binding, binding.spec.resource]) {
    events.warning(subject, 'EvictWorkloadFromClusterFailed', `Evict failed: ${why}`);
  }
};
