import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { Move } from '@perigee/scheduling/clusters/sharding/sharding';
import { formatTable } from '../../output/table.ts';

/** Ring positions per cell; the others are only counted. */
const SHOWN = 3;

const placesOf = ({ status }: Scheduler): string => {
  const places = (status?.union?.geoLocations ?? [])
    .toSorted((a, b) => b.clusterCount - a.clusterCount)
    .map(({ city, province, country }) => city || province || country || '?');
  const more = places.length - SHOWN;
  return [...places.slice(0, SHOWN), ...(more > 0 ? [`+${more}`] : [])].join(', ');
};

/** A table of Schedulers and their clusters. */
export const formatRing = (schedulers: readonly Scheduler[], isWide = false): string => {
  if (schedulers.length === 0) {
    return 'There are no Scheduler objects: the built-in scheduler has all clusters.\n';
  }
  const rows = schedulers.map((scheduler) => {
    const { desired = [], inUse = [] } = scheduler.status?.clusters ?? {};
    return [
      scheduler.metadata.name,
      scheduler.status?.phase ?? 'Pending',
      String(desired.length),
      String(inUse.length),
      String(scheduler.status?.union?.cpuCapacity ?? 0),
      String(scheduler.status?.epoch ?? 0),
      placesOf(scheduler),
    ];
  });
  const header = ['SCHEDULER', 'PHASE', 'CLUSTERS', 'IN USE', 'CPU', 'EPOCH', 'PLACES'];
  return formatTable([header, ...rows], { isWide });
};

/** A table of the clusters that would change their Scheduler. */
export const formatMoves = (moves: readonly Move[]): string => {
  if (moves.length === 0) return 'Nothing would move.\n';
  const rows = moves.map(({ cluster, from = '-', to }) => [cluster, from, to]);
  const count = moves.length === 1 ? '1 cluster' : `${moves.length} clusters`;
  return `${formatTable([['CLUSTER', 'FROM', 'TO'], ...rows])}\n${count} would move.\n`;
};
