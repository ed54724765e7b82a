import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { writtenAmount } from '../../clusters/room/room-amounts.ts';
import type { ClusterFacts } from '../../placement/scheduler/cluster-facts.ts';
import type { Outcome } from '../../placement/scheduler/outcome.ts';
import { type RoomShortage, shortagesOf } from '../../queues/room-shortage.ts';

const MOST_CLUSTERS = 4;

const isForRoom = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && /available replicas|have room for/.test(outcome.message);

/** The missing amount per replica, in a cluster with a shortage. */
const perReplica = ({ asked, fits, missing }: RoomShortage): number =>
  asked > fits ? Number(missing) / (asked - fits) : 0;

/** The missing resources, and the replicas that fit in each cluster; undefined for other refusals. */
export const shortageOf = (
  spec: BindingSpec,
  outcome: Outcome,
  clusters: readonly ClusterFacts[],
): string | undefined => {
  if (!isForRoom(outcome)) return undefined;
  const { candidates } = outcome.reasoning;
  const { replicas = 0 } = spec;
  const fits = candidates.reduce((sum, { available }) => sum + available, 0);
  const examples = candidates
    .slice(0, MOST_CLUSTERS)
    .map(({ name, available }) => `${available} in ${name}`);
  const more = candidates.length - examples.length;
  const where = `${examples.join(', ')}${more > 0 ? ` and others in ${more} more` : ''}`;
  const [closest] = shortagesOf(spec, outcome, [], clusters);
  const start = `of ${replicas} replicas ${fits} fit (${where})`;
  if (closest === undefined || fits >= replicas) return start;
  if (closest.resource === undefined) return `${start}: no node takes them`;
  const missingAmount = perReplica(closest) * (replicas - fits);
  return `${start}; ${writtenAmount(closest.resource, missingAmount)} ${closest.resource} is missing`;
};
