import type { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { parseTime } from '@perigee/api/values/time';

/** A count that has not changed is told again after this time. */
export const BEAT_MS = 300_000;

/** A count that nobody has told again for so long does not count: whoever told it is gone. */
const MOST_AGE_MS = 3 * BEAT_MS;

/** When a count ceases to count, in milliseconds since the epoch. */
export const endOfRoom = ({ spec }: ClusterRoom): number => parseTime(spec.countedAt) + MOST_AGE_MS;
