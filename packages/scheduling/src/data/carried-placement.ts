import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { basePlacementOf, carriedDataOf } from './data-marks.ts';

/** What the scheduler has to know of the data that a placement carries, to say why a cluster is not in it. */
export interface CarriedPlacement {
  /** What the policy wants, without the data. */
  readonly base: Placement;
  /** The data, for people. */
  readonly data: string;
}

const MOST_NAMED = 3;

/** Nothing for a placement that carries no data. */
export const carriedPlacement = (
  metadata: Pick<ObjectMeta, 'annotations'>,
): CarriedPlacement | undefined => {
  const carried = carriedDataOf(metadata);
  const base = carried.length === 0 ? undefined : basePlacementOf(metadata);
  if (base === undefined) return undefined;
  const names = [...new Set(carried.map(({ data }) => data))];
  const named = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length - MOST_NAMED;
  return { base, data: more > 0 ? `${named} and ${more} more` : named };
};
