import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import {
  BASE_PLACEMENT,
  basePlacementOf,
  type CarriedData,
  carriedDataOf,
  preferredClustersOf,
} from './data-marks.ts';

/** The data constraints of a binding, as the scheduler reads them. */
export interface CarriedPlacement {
  /** Set when the data narrows the placement; explains why it excludes a cluster. */
  readonly within?: {
    /** The policy's placement without the data, as text: equal texts are equal placements. */
    readonly baseText: string;
    /** Parses `baseText` on demand, which is rare; undefined if it is not a placement. */
    readonly base: () => Placement | undefined;
    /** The data, for messages. */
    readonly data: string;
    /**
     * The data that a cluster lacks, for messages; absent if the caller did not look up locations.
     */
    readonly missingIn?: (cluster: string) => string;
  };
  /** Cluster scores by data locality; absent if no claim is a preference. */
  readonly preferred?: { readonly [cluster: string]: number };
}

const MOST_NAMED = 3;

/** Clusters that hold the data of a DataSource; undefined if it cannot be read. */
export type SourceClusters = (source: string) => readonly string[] | undefined;

const namedData = (dataList: readonly CarriedData[]): string => {
  const names = [...new Set(dataList.map(({ data }) => data))];
  const nameList = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${nameList} and ${more} more` : nameList;
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
    const missingData = musts.filter(
      ({ source }) => source === undefined || !clustersOf(source)?.includes(cluster),
    );
    return missingData.length === 0 ? within.data : namedData(missingData);
  };
  return { ...within, missingIn };
};

/**
 * Undefined for a binding without claims.
 * @param clustersOf Set by callers that explain a decision: each cluster then lists the data it
 * lacks.
 */
export const carriedPlacement = (
  metadata: Pick<ObjectMeta, 'annotations'>,
  clustersOf?: SourceClusters,
): CarriedPlacement | undefined => {
  const within = withinOf(metadata, clustersOf);
  const preferences = preferredClustersOf(metadata);
  if (within === undefined && preferences === undefined) return undefined;
  return {
    ...present({ within, preferred: preferences }),
  };
};
