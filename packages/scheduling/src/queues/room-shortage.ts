import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { present } from '@perigee/schema/present';
import { writtenAmount } from '../clusters/room/room-amounts.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { fittingPods, holds } from '../placement/scheduler/estimate/take-room.ts';
import type { Outcome } from '../placement/scheduler/outcome.ts';
import { type Amount, type Amounts, addTo } from './amounts.ts';
import { podsOfWork } from './work-pods.ts';

/** The room that a cluster lacks for the work. */
export interface RoomShortage {
  readonly cluster: string;
  /** Requested replicas, and those that fit; whole sets for work of several components. */
  readonly asked: number;
  readonly fits: number;
  /** The scarcest resource; absent if no node admits the pods at any size. */
  readonly resource?: string;
  /** The amount of it that the remaining replicas need. */
  readonly missing: Amount;
}

/** Reports at most this many clusters. */
const MOST_TOLD = 5;

const isSet = (parts: readonly SetPart[]): boolean => parts.length > 1;

const fittingReplicas = (cluster: ClusterFacts, parts: readonly SetPart[]): number => {
  const [only] = parts;
  if (only === undefined) return 0;
  return isSet(parts) ? Number(holds(cluster, parts)) : fittingPods(cluster, only);
};

const without = (parts: readonly SetPart[], resource: string): readonly SetPart[] =>
  parts.map((part) => ({ ...part, shape: part.shape.filter(({ name }) => name !== resource) }));

const resourcesOf = (parts: readonly SetPart[]): readonly string[] => [
  ...new Set(parts.flatMap(({ shape }) => shape.map(({ name }) => name))),
];

/** The resource whose shortage blocks the most replicas. */
const scarcest = (
  cluster: ClusterFacts,
  parts: readonly SetPart[],
  fits: number,
): string | undefined => {
  let scarcestResource: { readonly resource: string; readonly fits: number } | undefined;
  for (const resource of resourcesOf(parts)) {
    const more = fittingReplicas(cluster, without(parts, resource));
    if (more > (scarcestResource?.fits ?? fits)) scarcestResource = { resource, fits: more };
  }
  if (scarcestResource !== undefined) return scarcestResource.resource;
  const anything = fittingReplicas(
    cluster,
    parts.map((part) => ({ ...part, shape: [] })),
  );
  if (anything <= fits) return anything > 0 ? 'pods' : undefined;
  return resourcesOf(parts)[0];
};

/** The amount of a resource that this many replicas, or sets, need. */
const takenBy = (parts: readonly SetPart[], resource: string, count: number): number => {
  const each = (part: SetPart): number =>
    resource === 'pods' ? 1 : (part.shape.find(({ name }) => name === resource)?.amount.parts ?? 0);
  return isSet(parts)
    ? count * parts.reduce((sum, part) => sum + part.replicas * each(part), 0)
    : count * (parts[0] === undefined ? 0 : each(parts[0]));
};

const shortageIn = (
  cluster: ClusterFacts,
  parts: readonly SetPart[],
  demand: number,
): RoomShortage => {
  const fits = fittingReplicas(cluster, parts);
  const resource = scarcest(cluster, parts, fits);
  const missingAmount =
    resource === undefined ? 0 : takenBy(parts, resource, Math.max(0, demand - fits));
  return {
    cluster: cluster.name,
    asked: demand,
    fits,
    ...present({ resource }),
    missing: missingAmount,
  };
};

/** The shortages of the targets that are too small, else of the candidates with the most room. */
export const shortagesOf = (
  spec: BindingSpec,
  { reasoning }: Outcome,
  tooSmall: readonly TargetCluster[],
  clusters: readonly ClusterFacts[],
): readonly RoomShortage[] => {
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const targets: readonly TargetCluster[] =
    tooSmall.length > 0
      ? tooSmall
      : reasoning.candidates
          .toSorted((a, b) => b.available - a.available)
          .map(({ name }) => ({ name, replicas: spec.replicas ?? 0 }));
  return targets.slice(0, MOST_TOLD).flatMap(({ name, replicas }) => {
    const cluster = byName.get(name);
    const parts = podsOfWork(spec, replicas);
    if (cluster === undefined || parts.length === 0) return [];
    return [shortageIn(cluster, parts, isSet(parts) ? 1 : (parts[0]?.replicas ?? 0))];
  });
};

/** The shortage of the cluster that comes closest. */
export const missingAmounts = (shortages: readonly RoomShortage[]): Amounts => {
  const amounts = new Map<string, Amount>();
  const [closest] = shortages;
  if (closest?.resource !== undefined) addTo(amounts, closest.resource, closest.missing);
  return amounts;
};

const textOf = ({ cluster, asked, fits, resource, missing }: RoomShortage): string => {
  const of = `${cluster} has room for ${fits} of ${asked}`;
  return resource === undefined
    ? `${of}: no node takes them`
    : `${of}, ${writtenAmount(resource, Number(missing))} ${resource} short`;
};

export const shortageText = (shortages: readonly RoomShortage[]): string =>
  shortages.length === 0 ? 'no cluster has room' : shortages.map(textOf).join('; ');
