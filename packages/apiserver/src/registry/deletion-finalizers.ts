import type { ObjectMeta } from '@perigee/api/meta/object-meta';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Keeps an object until its dependents no longer name it as their owner. */
export const ORPHAN = 'orphan';
/** Keeps an object until its dependents are gone. */
export const FOREGROUND = 'foregroundDeletion';

const impliedBy = (
  finalizers: readonly string[],
  otherwise: PropagationPolicy,
): PropagationPolicy =>
  finalizers.includes(ORPHAN)
    ? 'Orphan'
    : finalizers.includes(FOREGROUND)
      ? 'Foreground'
      : otherwise;

/**
 * The finalizers of an object that is deleted under a propagation policy; the very same array if they stay. The
 * default is the policy that the object's own finalizers imply, and then that of its kind.
 */
export const deletionFinalizers = (
  { finalizers = [] }: Pick<ObjectMeta, 'finalizers'>,
  requestedPolicy: PropagationPolicy | undefined,
  ofKind: PropagationPolicy = 'Background',
): readonly string[] => {
  const policy = requestedPolicy ?? impliedBy(finalizers, ofKind);
  const desiredFinalizer =
    policy === 'Orphan' ? ORPHAN : policy === 'Foreground' ? FOREGROUND : undefined;
  const present = finalizers.filter((name) => name === ORPHAN || name === FOREGROUND);
  const isAsWanted =
    desiredFinalizer === undefined
      ? present.length === 0
      : present.length === 1 && present[0] === desiredFinalizer;
  if (isAsWanted) return finalizers;
  const others = finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  return desiredFinalizer === undefined ? others : [...others, desiredFinalizer];
};
