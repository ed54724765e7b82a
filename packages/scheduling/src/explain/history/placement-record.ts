import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';

/** The annotation of a binding that tells its last placements, as JSON, the oldest first. */
export const PLACEMENTS = 'policy.perigee.io/placements';

/** A decision that changed where work is. */
export interface PlacementRecord {
  readonly at: string;
  /** Why the scheduler looked at it. */
  readonly cause: string;
  /** As `m1:2 m2:4`; without a number for what has no replicas. */
  readonly clusters: string;
}

/** So many are kept: the record is for people, and every write carries it. */
const MOST_RECORDS = 10;

export const sharesText = (clusters: readonly TargetCluster[] = []): string =>
  clusters
    .map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`))
    .join(' ');

const isRecord = (value: JsonValue): value is JsonValue & PlacementRecord => {
  if (!isJsonObject(value)) return false;
  const { at, cause, clusters } = value;
  return typeof at === 'string' && typeof cause === 'string' && typeof clusters === 'string';
};

/** The last placements of a binding. Anybody who may write bindings may have written the annotation. */
export const placementsOf = ({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): readonly PlacementRecord[] => {
  try {
    const read = JSON.parse(annotations?.[PLACEMENTS] ?? '[]') as JsonValue;
    return Array.isArray(read) ? read.filter(isRecord).slice(-MOST_RECORDS) : [];
  } catch {
    return [];
  }
};

/** Work that is in very many clusters would fill its binding with its past. */
const LONGEST_SHARES = 512;

/** The annotation with one placement more. */
export const withPlacement = (
  metadata: Pick<ObjectMeta, 'annotations'>,
  cause: string,
  clusters: readonly TargetCluster[],
  nowMs: number,
): { readonly [PLACEMENTS]: string } => {
  const shares = sharesText(clusters);
  const told = shares.length <= LONGEST_SHARES ? shares : `${clusters.length} clusters`;
  const record: PlacementRecord = { at: formatTime(nowMs), cause, clusters: told };
  return {
    [PLACEMENTS]: JSON.stringify([...placementsOf(metadata), record].slice(-MOST_RECORDS)),
  };
};
