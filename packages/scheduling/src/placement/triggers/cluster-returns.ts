import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { ClusterReturn } from '@perigee/api/kinds/placement/schedule-trigger-status';
import { findCondition } from '@perigee/api/values/conditions';
import { specSelects } from '@perigee/api/values/label-selector';
import { parseTime } from '@perigee/schema/values/time';

type OnClusters = NonNullable<ScheduleTrigger['spec']['onClusters']>;

const DAY_MS = 86_400_000;
const DEFAULT_STABLE_SECONDS = 300;
/** The wait doubles at most this often. */
const MOST_DOUBLED = 6;
/** Further returns within a day do not lengthen the wait. */
const MOST_RETURNS = MOST_DOUBLED + 1;

const isSelected = (
  { clusterNames, labelSelector }: OnClusters,
  { metadata }: MemberCluster,
): boolean =>
  (clusterNames === undefined || clusterNames.includes(metadata.name)) &&
  (labelSelector === undefined || specSelects(labelSelector, metadata.labels));

const readySinceOf = ({ metadata, status }: MemberCluster): string | undefined => {
  const ready = findCondition(status?.conditions, 'Ready');
  if (metadata.deletionTimestamp !== undefined || ready?.status !== 'True') return undefined;
  return ready.lastTransitionTime;
};

/** Updates the record of clusters that returned or joined since the trigger began. */
export const observeReturns = (
  earlierReturns: readonly ClusterReturn[],
  clusters: readonly MemberCluster[],
  selection: OnClusters,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): readonly ClusterReturn[] => {
  const before = new Map(earlierReturns.map((one) => [one.name, one]));
  return clusters
    .filter((cluster) => isSelected(selection, cluster))
    .flatMap((cluster): readonly ClusterReturn[] => {
      const { name } = cluster.metadata;
      const entry = before.get(name);
      const readySince = readySinceOf(cluster);
      if (readySince === undefined || readySince === entry?.readySince) {
        return entry === undefined ? [] : [entry];
      }
      if (parseTime(readySince) <= sinceMs) return [];
      const recent = (entry?.returns ?? []).filter((at) => parseTime(at) > nowMs - DAY_MS);
      const returns = [...recent, readySince].slice(-MOST_RETURNS);
      return [{ name, readySince, returns, isDone: false }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};

export interface DueReturn {
  readonly name: string;
  readonly cause: 'ClusterReturned' | 'ClusterJoined';
  /** The time at which it counts as stable, if it stays ready. */
  readonly dueMs: number;
}

/**
 * The returns that a trigger must handle, with their times. The wait doubles with each return of a
 * day.
 */
export const dueReturns = (
  returns: readonly ClusterReturn[],
  clusters: readonly MemberCluster[],
  { when = ['Returned', 'Joined'], stableForSeconds = DEFAULT_STABLE_SECONDS }: OnClusters,
  sinceMs: number,
): readonly DueReturn[] => {
  const byName = new Map(clusters.map((cluster) => [cluster.metadata.name, cluster]));
  return returns.flatMap(({ name, readySince, returns: times, isDone }) => {
    const cluster = byName.get(name);
    if (cluster === undefined || isDone || readySinceOf(cluster) !== readySince) return [];
    const isNew = parseTime(cluster.metadata.creationTimestamp) > sinceMs && times.length === 1;
    const cause = isNew ? 'ClusterJoined' : 'ClusterReturned';
    if (!when.includes(isNew ? 'Joined' : 'Returned')) return [];
    const stableMs = stableForSeconds * 1000 * 2 ** Math.min(times.length - 1, MOST_DOUBLED);
    return [{ name, cause, dueMs: parseTime(readySince) + stableMs }];
  });
};
