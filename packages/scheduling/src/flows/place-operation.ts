import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { present } from '@perigee/schema/present';
import { affinityPredicate } from '../clusters/cluster-affinity.ts';
import { combinePlacement, mapAffinities } from '../data/combine-placement.ts';
import type { LocatedCluster } from '../data/locality.ts';
import { type Crossing, type CrossingFacts, chooseSource } from './crossing.ts';
import { isSimulated, type Operation } from './operation.ts';
import type { Word } from './operation-conditions.ts';
import { missingCopy, needsData, readersByPlace } from './reading-clusters.ts';

/** Work that waits for data, and its placement. */
export interface WaitingWork {
  readonly name: string;
  readonly placement: Placement;
}

/** A cluster as operations see it. */
export interface Executor extends LocatedCluster {
  readonly runs: { readonly really: boolean; readonly played: boolean };
}

export interface PlacingFacts {
  /** The policy that selects the operation. */
  readonly policy: { readonly name: string; readonly placement: Placement } | undefined;
  readonly clusters: readonly Executor[];
  /** The clusters with the dataset that it reads or refreshes. */
  readonly datasetClusters: readonly string[];
  /** The clusters of the operations whose nodes it must follow; absent without such. */
  readonly followed: readonly string[] | undefined;
  /** The clusters that its predecessors ran in. */
  readonly predecessors: readonly string[];
  /** The dataset that it reads, if that has an external origin: it cannot be read without a copy. */
  readonly originOf: string | undefined;
  /** The clusters with a part of the datasets that it reads, or with an old state, if anything of these is known. */
  readonly remains?: { readonly of: string; readonly clusters: readonly string[] } | undefined;
  /** True if it copies from other datasets within a cluster; it then reads those. */
  readonly copiesDatasets: boolean;
  /** Work that waits for the data that it brings, the longest first. */
  readonly waitingWork: readonly WaitingWork[];
  /** Ways between clusters; without them nothing is copied between clusters. */
  readonly crossing?: CrossingFacts;
  /** The places in a cluster of the datasets that it reads: in their own claims or in others; the same by default. */
  readonly layoutOf?: (cluster: string) => string;
}

export interface PlacedOperation {
  readonly word: Word<'Placed'>;
  readonly placement: Placement;
  /** The clusters that it may go to. */
  readonly candidates?: readonly string[];
  /** The only cluster that it may go to, if there is just one. */
  readonly only?: string;
  /** The source of the data, if that is another cluster. */
  readonly crossing?: Crossing;
}

/** A placement, and whether the data has to come from another cluster. */
interface RequestedPlacement {
  readonly word: Word<'Placed'>;
  readonly placement: Placement;
  readonly crosses?: boolean;
}

const ONE_CLUSTER: Pick<Placement, 'spreadConstraints'> = {
  spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
};

const isAllowedBy = ({ clusterAffinity, clusterAffinities = [] }: Placement) => {
  const terms: readonly ClusterAffinity[] =
    clusterAffinities.length === 0 ? [clusterAffinity ?? {}] : clusterAffinities;
  const accepts = terms.map(affinityPredicate);
  return (cluster: LocatedCluster): boolean => accepts.some((one) => one(cluster));
};

const without = (placement: Placement, names: readonly string[]): Placement =>
  mapAffinities(placement, (affinity) => ({
    ...affinity,
    exclude: [...new Set([...(affinity.exclude ?? []), ...names])].sort(),
  }));

/** True if all candidates for the operation lack its data, and it may go to clusters that lack it. */
const mustCross = (
  { kind }: Operation,
  placement: Placement,
  { clusters, crossing, datasetClusters }: PlacingFacts,
): boolean => {
  if (crossing === undefined || (kind !== 'DataLoad' && kind !== 'DataMigrate')) return false;
  const allowedNames = clusters.filter(isAllowedBy(placement)).map(({ name }) => name);
  return allowedNames.length > 0 && !allowedNames.some((name) => datasetClusters.includes(name));
};

/** True if it copies its dataset from one cluster to others, as there is no other origin. */
const spreads = ({ crossing, datasetClusters }: PlacingFacts): boolean =>
  crossing?.loadsOwnCopies === true && datasetClusters.length > 0;

const whereWorkWaits = ({ name, placement }: WaitingWork): RequestedPlacement => {
  const { clusterAffinity, clusterAffinities, clusterTolerations } = placement;
  return {
    placement: {
      ...ONE_CLUSTER,
      ...present({ clusterAffinity, clusterAffinities, clusterTolerations }),
    },
    word: {
      reason: 'WhereClaimsWait',
      message: `${name} waits for the data: it goes to a cluster where that may run`,
    },
  };
};

const whereRoomIs = (): RequestedPlacement => ({
  placement: ONE_CLUSTER,
  word: {
    reason: 'WhereRoomIs',
    message: 'nothing says where it should run: it goes to the cluster with the most room',
  },
});

/** Perigee's choice of one cluster, and the reason, for an operation without an explicit placement. */
const ownChoice = (operation: Operation, facts: PlacingFacts): RequestedPlacement => {
  const { datasetClusters, waitingWork, predecessors } = facts;
  const [first] = waitingWork;
  if (spreads(facts)) {
    const { placement, word } = first === undefined ? whereRoomIs() : whereWorkWaits(first);
    return { placement: without(placement, datasetClusters), word, crosses: true };
  }
  const here = datasetClusters.join(', ');
  const toData = {
    placement: { ...ONE_CLUSTER, clusterAffinity: { clusterNames: [...datasetClusters] } },
    word: { reason: 'WhereDatasetIs', message: `the dataset is in ${here}` },
  } as const;
  if (needsData(operation, facts) && datasetClusters.length > 0) {
    const isElsewhere = first !== undefined && mustCross(operation, first.placement, facts);
    return isElsewhere ? { ...whereWorkWaits(first), crosses: true } : toData;
  }
  if (first !== undefined && !needsData(operation, facts)) return whereWorkWaits(first);
  if (datasetClusters.length > 0) return toData;
  if (predecessors.length > 0) {
    return {
      placement: { ...ONE_CLUSTER, clusterAffinity: { clusterNames: [...predecessors] } },
      word: {
        reason: 'WherePredecessorRan',
        message: `what it runs after ran in ${predecessors.join(', ')}`,
      },
    };
  }
  return whereRoomIs();
};

const placementRequest = (operation: Operation, facts: PlacingFacts): RequestedPlacement => {
  const { policy, datasetClusters } = facts;
  const { placement } = operation.spec;
  const within = (request: Placement): Omit<RequestedPlacement, 'word'> => {
    if (spreads(facts)) return { placement: without(request, datasetClusters), crosses: true };
    if (!needsData(operation, facts) || datasetClusters.length === 0) return { placement: request };
    return mustCross(operation, request, facts)
      ? { placement: request, crosses: true }
      : { placement: combinePlacement(request, datasetClusters) };
  };
  if (placement !== undefined) {
    const word = { reason: 'BySpec', message: 'its spec.placement says where it runs' } as const;
    return { ...within(placement), word };
  }
  if (policy !== undefined) {
    const word = { reason: 'ByPolicy', message: `the policy ${policy.name} says where it runs` };
    return { ...within(policy.placement), word: word as Word<'Placed'> };
  }
  return ownChoice(operation, facts);
};

const HELP =
  'start them with `perigee up --run-processes`, or ask for a simulation with the annotation flows.perigee.io/simulate: "true"';

const noExecutor = (operation: Operation, names: readonly string[]): Word<'Placed'> => {
  const those = names.slice(0, 5).join(', ');
  return {
    status: 'False',
    reason: 'NoExecutor',
    message: isSimulated(operation)
      ? `a simulation needs virtual members, and ${those} would really run it`
      : `the virtual members ${those} run no pods of this namespace, they only play them: ${HELP}`,
  };
};

/** The placement of the operation, with the source cluster if the data comes from another one. */
const withSource = (
  { word, placement, crosses = false }: RequestedPlacement,
  { clusters, datasetClusters, crossing }: PlacingFacts,
): PlacedOperation => {
  if (!crosses || crossing === undefined) return { word, placement };
  const targets = clusters.filter(isAllowedBy(placement)).map(({ name }) => name);
  if (targets.length > 0) {
    return { word, placement, crossing: chooseSource(datasetClusters, targets, crossing) };
  }
  const message = `all clusters that it may run in have the data: ${datasetClusters.join(', ')}`;
  return { word, placement, crossing: { kind: 'refused', reason: 'NotSupported', message } };
};

const withCandidates = (
  placed: PlacedOperation,
  candidates: readonly string[],
): PlacedOperation => {
  const only = candidates.length === 1 ? candidates[0] : undefined;
  return { ...placed, candidates, ...present({ only }) };
};

/**
 * The clusters of an operation, and the source of that decision. Members that cannot run it, or would only simulate it,
 * are excluded.
 */
export const placeOperation = (operation: Operation, facts: PlacingFacts): PlacedOperation => {
  const { crossing: _, ...inside } = facts;
  const request = placementRequest(operation, isSimulated(operation) ? inside : facts);
  const placement =
    facts.followed === undefined
      ? request.placement
      : combinePlacement(request.placement, facts.followed);
  const allowedClusters = facts.clusters.filter(isAllowedBy(placement));
  const allowedNames = allowedClusters.map(({ name }) => name);
  const missingWord = isSimulated(operation)
    ? undefined
    : missingCopy(operation, allowedNames, facts);
  if (missingWord !== undefined) return { placement, word: missingWord };
  const wants = isSimulated(operation) ? 'played' : 'really';
  const unable = facts.clusters.filter(({ runs }) => !runs[wants]).map(({ name }) => name);
  if (
    unable.length > 0 &&
    allowedClusters.length > 0 &&
    allowedClusters.every(({ runs }) => !runs[wants])
  ) {
    return { placement, word: noExecutor(operation, allowedNames) };
  }
  const able = unable.length === 0 ? placement : without(placement, unable);
  const names = allowedClusters.filter(({ runs }) => runs[wants]).map(({ name }) => name);
  const [readers, others] = request.crosses ? [] : readersByPlace(operation, names, facts);
  if (readers === undefined || others === undefined) {
    return withCandidates(withSource({ ...request, placement: able }, facts), names);
  }
  const isChosen = operation.spec.placement !== undefined || facts.policy !== undefined;
  if (!isChosen) {
    const { word } = request;
    return withCandidates({ word, placement: combinePlacement(able, readers) }, readers);
  }
  const message = `the data lies in different claims in ${readers[0]} and in ${others[0]}, and one Job cannot read both: give each of them an operation`;
  return {
    word: request.word,
    placement: able,
    crossing: { kind: 'refused', reason: 'NotSupported', message },
  };
};
