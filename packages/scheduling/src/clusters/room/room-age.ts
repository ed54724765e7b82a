import type { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { parseTime } from '@perigee/schema/values/time';

/** An unchanged room is refreshed after this time. */
export const BEAT_MS = 300_000;

/** A room that was not refreshed for this long is ignored: its writer is gone. */
const MOST_AGE_MS = 3 * BEAT_MS;

/** The expiry of a room, in epoch milliseconds. */
export const endOfRoom = ({ spec }: ClusterRoom): number => parseTime(spec.countedAt) + MOST_AGE_MS;
