import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type {
  ClusterAffinity,
  ClusterAffinityTerm,
} from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { EvictionReason } from '@perigee/api/reasons/eviction-reasons';
import { present, unlessEmpty } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { affinityPredicate, type ClusterPredicate } from '../../clusters/cluster-affinity.ts';
import { readNodeClaim } from '../../clusters/room/node-claim.ts';
import type { CarriedPlacement } from '../../data/carried-placement.ts';
import { leavesForData } from '../failover/leave-clusters.ts';
import { apiKey, type ClusterFacts } from './cluster-facts.ts';
import { type DivisionStrategy, divisionStrategy } from './division-strategy.ts';
import { type SetPart, setPartsOf } from './estimate/estimate-sets.ts';
import type { PodKind } from './estimate/node-group.ts';
import { type PodShape, podShapeOf } from './estimate/pod-shape.ts';

/** The inputs of the pipeline for a binding, computed once for all clusters. */
export interface PlacementRequest {
  readonly spec: BindingSpec;
  readonly placement: Placement;
  readonly api: string;
  readonly replicas: number;
  /** The requests of one replica; absent if none are set. */
  readonly shape?: PodShape;
  /** The requests, with the node requirements of a replica. */
  readonly kind: PodKind;
  /** The kinds of pods of a whole set; absent for work that is not placed in sets. */
  readonly set?: readonly SetPart[];
  readonly isWorkload: boolean;
  /** True if the present placement must be ignored. */
  readonly isFresh: boolean;
  /** The present clusters, with their replicas. */
  readonly previous: ReadonlyMap<string, number>;
  readonly evictedFrom: ReadonlySet<string>;
  readonly strategy: DivisionStrategy;
  readonly affinityName?: string;
  /** The allowed clusters, the first choice first; absent when all are allowed. */
  readonly tiers?: readonly ClusterPredicate[];
  /** The affinities of the tiers; present whenever these are. */
  readonly affinities?: readonly ClusterAffinity[];
  readonly hasOverflow: boolean;
  /** The data that limits the tiers; absent without any. */
  readonly data?: CarriedData;
  /** The scores of clusters by preferred data; absent without preference. */
  readonly preferred?: { readonly [cluster: string]: number };
}

/** The data that a placement carries. */
interface CarriedData {
  readonly name: string;
  /** The data that a cluster lacks; absent if not tracked. */
  readonly missingIn?: (cluster: string) => string;
  /** True for clusters that the tiers would contain without the data. */
  readonly wouldAccept: ClusterPredicate;
}

export const isWorkload = ({ replicas = 0, replicaRequirements, components = [] }: BindingSpec) =>
  replicas > 0 || replicaRequirements !== undefined || components.length > 0;

/** True if there are replicas to divide; other work goes to clusters as a whole. */
export const isDivisible = ({
  replicas = 0,
  replicaRequirements,
  components = [],
}: BindingSpec): boolean =>
  (replicas > 0 || replicaRequirements !== undefined) && components.length <= 1;

/** True if a reschedule was requested after the last one. */
export const isRescheduleDue = (
  { rescheduleTriggeredAt }: BindingSpec,
  { lastScheduledTime }: BindingStatus,
): boolean =>
  rescheduleTriggeredAt !== undefined &&
  lastScheduledTime !== undefined &&
  parseTime(rescheduleTriggeredAt) > parseTime(lastScheduledTime);

/** The components of work that goes to a single cluster as a whole, by its placement. */
const setOf = ({ components = [], placement }: BindingSpec): readonly SetPart[] | undefined => {
  const isForOne = (placement?.spreadConstraints ?? []).some(
    ({ spreadByField, minGroups, maxGroups }) =>
      spreadByField === 'cluster' && minGroups === 1 && maxGroups === 1,
  );
  return components.length > 0 && isForOne ? setPartsOf(components) : undefined;
};

/** The term of a placement with this name. */
const termOf = ({ clusterAffinities }: Placement, affinityName: string) =>
  clusterAffinities?.find((one) => one.affinityName === affinityName);

const affinitiesOf = (
  { clusterAffinity }: Placement,
  term: ClusterAffinityTerm | undefined,
  hasReplicas: boolean,
): readonly ClusterAffinity[] | undefined => {
  if (clusterAffinity !== undefined) return [clusterAffinity];
  if (term === undefined) return undefined;
  return [term, ...(hasReplicas ? (term.overflowAffinities ?? []) : [])];
};

const RESCHEDULED = 'Rescheduled' satisfies EvictionReason;

/**
 * The clusters that the work is evicted from completely. A cluster that only some replicas leave after a fresh
 * schedule stays in use; an eviction of all of them counts, even if the binding still names the cluster. A cluster
 * that lost the data is refused for that alone, and may get the work back with the data.
 */
const evictedFrom = ({ clusters = [], gracefulEvictionTasks = [] }: BindingSpec) => {
  const inUse = new Set(clusters.map(({ name }) => name));
  const activeTasks = gracefulEvictionTasks.filter(
    (task) => !leavesForData(task) && (task.reason !== RESCHEDULED || !inUse.has(task.fromCluster)),
  );
  return new Set(activeTasks.map(({ fromCluster }) => fromCluster));
};

const dataOf = (
  dataPlacement: CarriedPlacement | undefined,
  affinityName: string,
  hasReplicas: boolean,
): CarriedData | undefined => {
  if (dataPlacement?.within === undefined) return undefined;
  const { base: readBase, data: name, missingIn } = dataPlacement.within;
  // Computed lazily, at the first refusal.
  let accepts: ClusterPredicate | undefined;
  const read = (): ClusterPredicate => {
    const base = readBase();
    if (base === undefined) return () => false;
    const affinities = affinitiesOf(base, termOf(base, affinityName), hasReplicas);
    const tiers = affinities?.map(affinityPredicate);
    return (cluster) => tiers === undefined || tiers.some((one) => one(cluster));
  };
  const wouldAccept: ClusterPredicate = (cluster) => {
    accepts ??= read();
    return accepts(cluster);
  };
  return { name, wouldAccept, ...present({ missingIn }) };
};

/** Reads a binding for one term of its placement. */
export const placementRequest = (
  spec: BindingSpec,
  status: BindingStatus,
  placement: Placement,
  affinityName = '',
  dataPlacement?: CarriedPlacement,
): PlacementRequest => {
  const term = termOf(placement, affinityName);
  const set = setOf(spec);
  const works = isWorkload(spec);
  const affinities = affinitiesOf(placement, term, works);
  const data = dataOf(dataPlacement, affinityName, works);
  const { replicaRequirements } = spec;
  const shape = replicaRequirements && podShapeOf(replicaRequirements.resourceRequest);
  return {
    spec,
    placement,
    api: apiKey(spec.resource.apiVersion, spec.resource.kind),
    replicas: spec.replicas ?? 0,
    isWorkload: works,
    isFresh: isRescheduleDue(spec, status),
    previous: new Map((spec.clusters ?? []).map(({ name, replicas = 0 }) => [name, replicas])),
    evictedFrom: evictedFrom(spec),
    strategy: divisionStrategy(placement.replicaScheduling),
    kind: { shape: shape ?? [], claim: readNodeClaim(replicaRequirements?.nodeClaim) },
    hasOverflow: placement.clusterAffinity === undefined && term?.overflowAffinities !== undefined,
    ...present({ affinityName: unlessEmpty(affinityName), set }),
    ...(affinities && { affinities, tiers: affinities.map(affinityPredicate) }),
    ...present({ data, preferred: dataPlacement?.preferred, shape }),
  };
};

/** The tier of a cluster: 0 for the first choice, and one more for each overflow group. */
export const tierOf = ({ tiers }: PlacementRequest, cluster: ClusterFacts): number =>
  tiers === undefined || tiers.length === 1 ? 0 : tiers.findIndex((accepts) => accepts(cluster));
