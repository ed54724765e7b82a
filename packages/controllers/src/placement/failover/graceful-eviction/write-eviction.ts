import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isConflict } from '@perigee/kube/errors';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import type { PlacementFields } from '@perigee/scheduling/placement/failover/evict-cluster';
import { present } from '@perigee/schema/present';
import { reportNotEvicted } from './eviction-events.ts';

export interface EvictionWrite {
  readonly fieldManager: string;
  /** Absent when the work stays where it is. */
  readonly placed?: PlacementFields;
  readonly annotations?: { readonly [name: string]: string | null };
}

const orNone = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

/** Writes clusters and eviction tasks of a binding, guarded by the resource version that they were decided on. */
export const writeEviction = async (
  kind: BindingKind,
  binding: Binding,
  { fieldManager, placed, annotations }: EvictionWrite,
  { client, events, signal }: ReconcileContext,
): Promise<void> => {
  const body = {
    metadata: {
      resourceVersion: binding.metadata.resourceVersion,
      ...present({ annotations }),
    },
    ...present({
      spec: placed && {
        clusters: orNone(placed.clusters),
        gracefulEvictionTasks: orNone(placed.gracefulEvictionTasks),
      },
    }),
  };
  try {
    const options = { fieldManager, signal };
    await client.patch(kind, refOf(binding), { type: 'merge', body }, options);
  } catch (error) {
    if (placed !== undefined && !isConflict(error)) reportNotEvicted(events, binding, error);
    throw error;
  }
};
