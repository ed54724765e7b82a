import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import {
  BASE_PLACEMENT,
  basePlacementOf,
  type CarriedData,
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
    /** The part of it that is not in a cluster; absent when nobody looked where which of it is. */
    readonly missingIn?: (cluster: string) => string;
  };
  /** The scores of clusters for the data that they have; absent when no claim is a wish. */
  readonly preferred?: { readonly [cluster: string]: number };
}

const MOST_NAMED = 3;

/** The clusters that have the data of a DataSource; nothing when that cannot be read. */
export type SourceClusters = (source: string) => readonly string[] | undefined;

const namedData = (carried: readonly CarriedData[]): string => {
  const names = [...new Set(carried.map(({ data }) => data))];
  const named = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${named} and ${more} more` : named;
};

const withinOf = (
  metadata: Pick<ObjectMeta, 'annotations'>,
  clustersOf: SourceClusters | undefined,
): CarriedPlacement['within'] => {
  const musts = carriedDataOf(metadata).filter(({ preference }) => preference === undefined);
  const baseText = metadata.annotations?.[BASE_PLACEMENT];
  if (musts.length === 0 || baseText === undefined) return undefined;
  const within = { baseText, base: () => basePlacementOf(metadata), data: namedData(musts) };
  if (clustersOf === undefined) return within;
  const missingIn = (cluster: string): string => {
    const missing = musts.filter(
      ({ source }) => source === undefined || !clustersOf(source)?.includes(cluster),
    );
    return missing.length === 0 ? within.data : namedData(missing);
  };
  return { ...within, missingIn };
};

/**
 * Nothing for a binding that no claim concerns.
 * @param clustersOf Given by who explains a decision: then each cluster is told which of the data it lacks.
 */
export const carriedPlacement = (
  metadata: Pick<ObjectMeta, 'annotations'>,
  clustersOf?: SourceClusters,
): CarriedPlacement | undefined => {
  const within = withinOf(metadata, clustersOf);
  const preferred = preferredClustersOf(metadata);
  if (within === undefined && preferred === undefined) return undefined;
  return {
    ...(within === undefined ? {} : { within }),
    ...(preferred === undefined ? {} : { preferred }),
  };
};
