import type { OwnerReference } from '@perigee/api/meta/object-meta';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { LiveLevels } from './live-levels.ts';
import type { OwnerCache } from './owner-cache.ts';

/** What the controllers of groups share. */
export interface GroupParts {
  readonly owners: OwnerCache;
  readonly levels: LiveLevels;
  readonly interpreter: Interpreter;
  /** Pods of these schedulers are put into groups. */
  readonly schedulerNames: ReadonlySet<string>;
}

export const GROUP_INDEX = 'group';

/** For an index of pods: `namespace/name` of the group. */
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

/** Decides as soon as all that it has to know is known. */
export const whenKnown = async <T extends { readonly kind: string }>(
  decide: () => T | { readonly kind: 'pending'; readonly reference: OwnerReference },
  load: (reference: OwnerReference) => Promise<void>,
): Promise<T> => {
  // Each round looks up one owner more, and the way up has an end.
  for (;;) {
    const decided = decide();
    if (decided.kind !== 'pending') return decided as T;
    await load((decided as { reference: OwnerReference }).reference);
  }
};

/** Times of a server are texts of one form, which are in the order of the times. */
const oldestFirst = ({ metadata: a }: Pod, { metadata: b }: Pod): number => {
  if (a.creationTimestamp !== b.creationTimestamp) {
    return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  }
  return a.name < b.name ? -1 : 1;
};

/** Those that still need something before those that are over, and there the oldest: it speaks for all. */
export const spokesmanOf = (pods: readonly Pod[]): Pod | undefined =>
  pods.reduce<Pod | undefined>((first, pod) => {
    if (first === undefined) return pod;
    const byOver = Number(isOver(pod)) - Number(isOver(first));
    return (byOver || oldestFirst(pod, first)) < 0 ? pod : first;
  }, undefined);
