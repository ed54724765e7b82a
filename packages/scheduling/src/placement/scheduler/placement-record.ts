import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';

/** The annotation of a binding with its last placements, as JSON, the oldest first. */
export const PLACEMENTS = 'policy.perigee.io/placements';

/** A decision that changed the placement. */
export interface PlacementRecord {
  readonly at: string;
  /** The cause of the decision. */
  readonly cause: string;
  /** As `m1:2 m2:4`; without numbers for work without replicas. */
  readonly clusters: string;
}

/** Limit of records: they are for people, and every write carries them. */
export const MOST_RECORDS = 10;

export const sharesText = (clusters: readonly TargetCluster[] = []): string =>
  clusters
    .map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`))
    .join(' ');

const isRecord = (value: JsonValue): value is JsonValue & PlacementRecord => {
  if (!isJsonObject(value)) return false;
  const { at, cause, clusters } = value;
  return typeof at === 'string' && typeof cause === 'string' && typeof clusters === 'string';
};

/** The last placements of a binding. The annotation is untrusted: every writer of bindings can set it. */
export const placementsOf = ({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): readonly PlacementRecord[] => {
  try {
    const value = JSON.parse(annotations?.[PLACEMENTS] ?? '[]') as JsonValue;
    return Array.isArray(value) ? value.filter(isRecord).slice(-MOST_RECORDS) : [];
  } catch {
    return [];
  }
};

/** Limit of the text: work in very many clusters would fill its binding. */
const LONGEST_SHARES = 512;

/** The annotation with one more placement. */
export const withPlacement = (
  metadata: Pick<ObjectMeta, 'annotations'>,
  cause: string,
  clusters: readonly TargetCluster[],
  nowMs: number,
): { readonly [PLACEMENTS]: string } => {
  const shares = sharesText(clusters);
  const clustersText = shares.length <= LONGEST_SHARES ? shares : `${clusters.length} clusters`;
  const record: PlacementRecord = { at: formatTime(nowMs), cause, clusters: clustersText };
  return {
    [PLACEMENTS]: JSON.stringify([...placementsOf(metadata), record].slice(-MOST_RECORDS)),
  };
};
