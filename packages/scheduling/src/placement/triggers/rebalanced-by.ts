import type { ObjectMeta } from '@perigee/api/meta/object-meta';

/**
 * Annotation of a binding with the uids of rebalancers that rescheduled it. It is written in one
 * patch with the trigger time, so that a crash before the status update causes no second request.
 */
export const REBALANCED_BY = 'policy.perigee.io/rebalanced-by';

type Annotated = Pick<ObjectMeta, 'annotations'>;

const uidsOf = ({ annotations }: Annotated): readonly string[] =>
  (annotations?.[REBALANCED_BY] ?? '').split(' ').filter((uid) => uid !== '');

export const isRebalancedBy = (binding: Annotated, uid: string): boolean =>
  uidsOf(binding).includes(uid);

/** Adds a rebalancer to the annotation, and drops those that no longer exist. */
export const withRebalancer = (
  binding: Annotated,
  uid: string,
  isThere: (uid: string) => boolean,
): string => [...uidsOf(binding).filter(isThere), uid].join(' ');
