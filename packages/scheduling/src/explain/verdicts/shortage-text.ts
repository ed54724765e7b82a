import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { writtenAmount } from '../../clusters/room/room-amounts.ts';
import type { Candidate } from '../../placement/scheduler/candidate.ts';
import type { ClusterFacts } from '../../placement/scheduler/cluster-facts.ts';
import { mostFree, takes } from '../../placement/scheduler/estimate/node-group.ts';
import type { Outcome } from '../../placement/scheduler/outcome.ts';
import { type RoomShortage, shortagesOf } from '../../queues/room-shortage.ts';
import { podsOfWork } from '../../queues/work-pods.ts';
import { nodeRequirements } from './node-requirements.ts';

const MOST_CLUSTERS = 4;

const isForRoom = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && /available replicas|have room for/.test(outcome.message);

/** The missing amount per replica, in a cluster with a shortage. */
const perReplica = ({ asked, fits, missing }: RoomShortage): number =>
  asked > fits ? Number(missing) / (asked - fits) : 0;

/** The most of a resource that one node has free for the pods; undefined if the nodes of some cluster are not known. */
const mostOnNode = (
  spec: BindingSpec,
  candidates: readonly Candidate[],
  resource: string,
): number | undefined => {
  const [pods, other] = podsOfWork(spec);
  if (pods === undefined || other !== undefined) return undefined;
  const groups = candidates.map(({ cluster: { space } }) =>
    space?.free.groups.filter((group) => takes(group, pods)),
  );
  return groups.some((one) => one === undefined)
    ? undefined
    : mostFree(
        groups.flatMap((one) => one ?? []),
        resource,
      );
};

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
  if (closest.resource === undefined) {
    const requirements = nodeRequirements(spec.replicaRequirements?.nodeClaim);
    return `${start}: no node takes them${requirements === '' ? '' : `, which ask for ${requirements}`}`;
  }
  const { resource } = closest;
  const each = perReplica(closest);
  const most = mostOnNode(spec, candidates, resource);
  if (fits === 0 && most !== undefined && each > most) {
    return `${start}: each asks for ${writtenAmount(resource, each)} ${resource}, and no node has more than ${writtenAmount(resource, most)} free`;
  }
  const missingAmount = each * (replicas - fits);
  return `${start}; ${writtenAmount(resource, missingAmount)} ${resource} is missing`;
};
