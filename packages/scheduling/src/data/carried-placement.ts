import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import {
  BASE_PLACEMENT,
  basePlacementOf,
  carriedDataOf,
  preferredClustersOf,
} from './data-marks.ts';

/** What the scheduler has to know of the data of a binding. */
export interface CarriedPlacement {
  /** The data that the placement is within, to say why a cluster is not in it; absent when it is within none. */
  readonly within?: {
    /** What the policy wants, without the data, as text: the same text means the same. */
    readonly baseText: string;
    /** The same, read when it is needed, which it rarely is; nothing when it is no placement. */
    readonly base: () => Placement | undefined;
    /** The data, for people. */
    readonly data: string;
  };
  /** The scores of clusters for the data that they have; absent when no claim is a wish. */
  readonly preferred?: { readonly [cluster: string]: number };
}

const MOST_NAMED = 3;

const withinOf = (metadata: Pick<ObjectMeta, 'annotations'>): CarriedPlacement['within'] => {
  const musts = carriedDataOf(metadata).filter(({ preference }) => preference === undefined);
  const baseText = metadata.annotations?.[BASE_PLACEMENT];
  if (musts.length === 0 || baseText === undefined) return undefined;
  const names = [...new Set(musts.map(({ data }) => data))];
  const named = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length - MOST_NAMED;
  const data = more > 0 ? `${named} and ${more} more` : named;
  return { baseText, base: () => basePlacementOf(metadata), data };
};

/** Nothing for a binding that no claim concerns. */
export const carriedPlacement = (
  metadata: Pick<ObjectMeta, 'annotations'>,
): CarriedPlacement | undefined => {
  const within = withinOf(metadata);
  const preferred = preferredClustersOf(metadata);
  if (within === undefined && preferred === undefined) return undefined;
  return {
    ...(within === undefined ? {} : { within }),
    ...(preferred === undefined ? {} : { preferred }),
  };
};
