import type { ObjectMeta } from '@perigee/api/meta/object-meta';

/**
 * The annotation of a binding that names the rebalancers that had it scheduled afresh, by uid. It is written
 * together with the time, so that no rebalancer asks twice, whatever happens before it has noted its result.
 */
export const REBALANCED_BY = 'policy.perigee.io/rebalanced-by';

type Annotated = Pick<ObjectMeta, 'annotations'>;

const uidsOf = ({ annotations }: Annotated): readonly string[] =>
  (annotations?.[REBALANCED_BY] ?? '').split(' ').filter((uid) => uid !== '');

export const isRebalancedBy = (binding: Annotated, uid: string): boolean =>
  uidsOf(binding).includes(uid);

/** The annotation with one rebalancer more, without those that are gone. */
export const withRebalancer = (
  binding: Annotated,
  uid: string,
  isThere: (uid: string) => boolean,
): string => [...uidsOf(binding).filter(isThere), uid].join(' ');
