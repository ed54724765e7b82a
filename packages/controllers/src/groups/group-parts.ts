import type { OwnerReference } from '@perigee/api/meta/object-meta';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { LiveLevels } from './live-levels.ts';
import type { OwnerCache } from './owner-cache.ts';

/** Dependencies shared by the PodGroup controllers. */
export interface GroupParts {
  readonly owners: OwnerCache;
  readonly levels: LiveLevels;
  readonly interpreter: Interpreter;
  /** Only pods of these schedulers get groups. */
  readonly schedulerNames: ReadonlySet<string>;
}

export const GROUP_INDEX = 'group';

/** Index keys of a pod: `namespace/name` of its group. */
export const groupKeysOf = (pod: Pod): readonly string[] => {
  const name = groupNameOf(pod);
  return name === undefined ? [] : [`${pod.metadata.namespace ?? ''}/${name}`];
};

export const groupRefOf = (pod: Pod): readonly ObjectRef[] => {
  const name = groupNameOf(pod);
  return name === undefined ? [] : [{ namespace: pod.metadata.namespace ?? '', name }];
};

export const isOver = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Repeats a decision, loading the owners that it lacks, until it is complete. */
export const whenKnown = async <T extends { readonly kind: string }>(
  decide: () => T | { readonly kind: 'pending'; readonly reference: OwnerReference },
  load: (reference: OwnerReference) => Promise<void>,
): Promise<T> => {
  // Terminates: each round loads one more owner, and chains are bounded.
  for (;;) {
    const decided = decide();
    if (decided.kind !== 'pending') return decided as T;
    await load((decided as { reference: OwnerReference }).reference);
  }
};

/** RFC 3339 timestamps of one format sort as strings. */
const oldestFirst = ({ metadata: a }: Pod, { metadata: b }: Pod): number => {
  if (a.creationTimestamp !== b.creationTimestamp) {
    return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  }
  return a.name < b.name ? -1 : 1;
};

/** The pod that represents its group: an unfinished one before finished ones, then the oldest. */
export const spokesmanOf = (pods: readonly Pod[]): Pod | undefined =>
  pods.reduce<Pod | undefined>((first, pod) => {
    if (first === undefined) return pod;
    const byOver = Number(isOver(pod)) - Number(isOver(first));
    return (byOver || oldestFirst(pod, first)) < 0 ? pod : first;
  }, undefined);
